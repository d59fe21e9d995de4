// How a row and a term stand to each other: known, predicted, doubted.

import type { Data } from "./data";
import type { Row, Term } from "./payload";

export type Standing = "known" | "doubted" | "predicted" | "implied" | "below" | "negative" | "contradicted";

/** A glyph and words for each, so that none is told by its colour alone. */
export const STANDINGS: Record<Standing, { glyph: string; name: string; help: string }> = {
  known: { glyph: "✓", name: "known", help: "known before, and the model agrees" },
  doubted: { glyph: "!", name: "known, model disagrees", help: "known before, but the model does not predict it" },
  predicted: { glyph: "+", name: "predicted", help: "new: not known before, and reaches its threshold" },
  implied: { glyph: "↑", name: "predicted through a descendant", help: "new: below its own threshold, but a descendant reaches its threshold" },
  contradicted: { glyph: "≠", name: "predicted, known to be absent", help: "known to be absent, but predicted" },
  negative: { glyph: "✕", name: "known to be absent", help: "known to be absent, and the model agrees" },
  below: { glyph: "○", name: "below threshold", help: "not known before, and not predicted" },
};

export interface Cell {
  term: Term;
  /** As Python decided. */
  isPredicted: boolean;
  probability: number | null;
  precision: number | null;
  standing: Standing;
}

/** All terms of a row that are predicted, known or said not to hold. */
export function cellsOf(data: Data, row: Row): Cell[] {
  const known = data.known(row);
  const negative = new Set(data.rows.negative[row]);
  const cells = new Map<Term, Cell>();
  const add = (term: Term, isPredicted: boolean, probability: number | null, precision: number | null) => {
    const isImplied = probability !== null && probability < data.terms.threshold[term];
    let standing: Standing = !isPredicted ? "below" : isImplied ? "implied" : "predicted";
    if (known.has(term)) standing = isPredicted ? "known" : "doubted";
    else if (negative.has(term)) standing = isPredicted ? "contradicted" : "negative";
    cells.set(term, { term, isPredicted, probability, precision, standing });
  };
  for (const [term, probability, precision] of data.rows.predicted[row]) add(term, true, probability, precision);
  for (const [term, probability, precision] of data.rows.others[row]) add(term, false, probability, precision);
  for (const term of [...known, ...negative]) if (!cells.has(term)) add(term, false, null, null);
  return [...cells.values()]
    .filter(({ term }) => !data.terms.is_uninformative[term])
    .sort((a, b) => (b.probability ?? -1) - (a.probability ?? -1));
}
