// Why a row gets a term, or does not: what speaks for it, and what against it.

import type { Data } from "./data";
import { h, named } from "./dom";
import { chance, count, counted, distance, fixed, gap, percent, sentence, signed } from "./format";
import { rowLink, termLink } from "./links";
import type { Evidence, Neighbor, Row, Term } from "./payload";
import type { Cell } from "./standing";

/** Terms that fewer rows have are called rare. */
const RARE = 0.1;
/** From this share of wrong predictions on, it speaks against a term. */
const OFTEN_WRONG = 0.25;

type Reason = (Node | string)[];

interface Sides {
  pro: Reason[];
  contra: Reason[];
}

export function whyBox(data: Data, row: Row, cells: Cell[], term: Term): HTMLElement {
  const cell = cells.find((one) => one.term === term);
  const facts = data.rows.evidence[row];
  const sides: Sides = { pro: [], contra: [] };
  if (cell) fromProbability(data, cell, sides);
  if (facts) fromNeighbors(data, facts, term, sides);
  fromTerm(data, term, sides);
  if (cell) fromKnown(data, row, cells, cell, sides);
  const list = (title: string, reasons: Reason[]) =>
    h(
      "div",
      {},
      h("h4", {}, title),
      reasons.length
        ? h("ul", { class: "reasons" }, ...reasons.map((reason) => h("li", {}, ...reason.map(unbroken))))
        : h("p", { class: "note" }, "None in this report."),
    );
  return h(
    "section",
    { class: "why", id: "why" },
    h("h3", { class: "long-name" }, "Why ", named(data.label(term)), "?"),
    h("p", { class: "verdict" }, ...verdict(data, cells, cell, term).map(unbroken)),
    h("div", { class: "sides" }, list("Evidence for it", sides.pro), list("Evidence against it", sides.contra)),
    facts ? members(facts, term) : null,
    looksAt(data, facts, term),
    h("p", {}, termLink(data, term, "Details of this term")),
  );
}

/** A number and its sign stay on one line. */
const unbroken = (part: Node | string): Node | string => (typeof part === "string" ? part.replaceAll(" %", "\u00a0%") : part);

// The decision -------------------------------------------------------------------------

function verdict(data: Data, cells: Cell[], cell: Cell | undefined, term: Term): Reason {
  if (!cell || cell.probability === null) {
    return ["Its probability for this row is so small that this report leaves it out."];
  }
  const p = cell.probability;
  const limit = data.terms.threshold[term];
  const own = limit === data.payload.overall_threshold ? "the threshold of" : "its own threshold of";
  const missing = `its probability of ${chance(p)} is ${gap(p, limit)} below ${own} ${chance(limit)}`;
  const worth = atThreshold(data, term);
  if (!cell.isPredicted) return [h("strong", {}, "Not predicted: "), `${missing}.${worth}`];
  if (p >= limit) return [h("strong", {}, "Predicted: "), `its probability of ${chance(p)} exceeds ${own} ${chance(limit)} by ${gap(p, limit)}.${worth}`];
  const below = passingBelow(data, cells, term);
  return [
    h("strong", {}, "Predicted through a descendant: "),
    `${missing}. However, `,
    ...(below === undefined ? ["a descendant"] : ["its descendant ", termLink(data, below)]),
    ` reaches its own threshold, and a row that has a term also has all its ancestors.${worth}`,
  ];
}

/** How often the rows that get a term at its threshold have it. */
function atThreshold(data: Data, term: Term): string {
  const { precision, recall } = data.terms;
  const isRight = precision[term] === null ? "" : `${percent(precision[term], 0)} of the rows that get this term have it`;
  const isFound = recall[term] === null ? "" : `${percent(recall[term], 0)} of the rows that have it get it`;
  const said = [isRight, isFound].filter(Boolean).join(", and ");
  return said && ` At this threshold, ${said}.`;
}

function passingBelow(data: Data, cells: Cell[], term: Term): Term | undefined {
  const passes = ({ isPredicted, probability, term: one }: Cell) =>
    isPredicted && probability !== null && probability >= data.terms.threshold[one];
  return cells.find((one) => passes(one) && data.ancestors([one.term]).includes(term))?.term;
}

// Reasons ------------------------------------------------------------------------------

function fromProbability(data: Data, cell: Cell, { pro, contra }: Sides): void {
  const p = cell.probability;
  if (p === null) return;
  const f = data.terms.frequency[cell.term];
  if (f) {
    const times = p / f;
    const usual = `its frequency of ${percent(f)}`;
    if (times >= 1.05) pro.push([`Its probability of ${chance(p)} is ${fixed(times, times < 10 ? 1 : 0)} times ${usual}.`]);
    else contra.push([`Its probability of ${chance(p)} is ${times > 0.95 ? "about" : "below"} ${usual}.`]);
  }
  if (cell.precision === null) return;
  const which = "of the predictions with this or a higher probability, for any term,";
  if (cell.precision >= 0.5) pro.push([`${percent(cell.precision, 0)} ${which} are right.`]);
  if (1 - cell.precision >= OFTEN_WRONG) contra.push([`${percent(1 - cell.precision, 0)} ${which} are wrong.`]);
}

function fromTerm(data: Data, term: Term, { pro, contra }: Sides): void {
  const { frequency, rows, reliable, ap } = data.terms;
  const f = frequency[term];
  if (reliable[term]) {
    pro.push([`The model predicts this term better than by chance: average precision ${fixed(ap[term], 3)}, frequency ${percent(f)}.`]);
  }
  if (f !== null && f < RARE) contra.push([`It is rare: ${counted(rows[term] ?? 0, "labelled row has it", "labelled rows have it")} (${percent(f)}).`]);
  if (reliable[term] === false) {
    contra.push(["The model does not predict this term better than by chance."]);
  } else if (reliable[term] === null && !data.terms.is_uninformative[term]) {
    contra.push(["The term was not measured, so the quality of its predictions is unknown."]);
  }
}

function fromKnown(data: Data, row: Row, cells: Cell[], cell: Cell, { pro, contra }: Sides): void {
  const { standing } = cell;
  if (standing === "known" || standing === "doubted") pro.push(["It was known before."]);
  if (standing === "negative" || standing === "contradicted") contra.push(["It is known to be absent from this row."]);
  const isNew = standing === "predicted" || standing === "implied" || standing === "below";
  const nKnown = data.nKnown(row);
  // A row may be labelled as having none of the terms.
  if (!isNew || !(nKnown || data.rows.state[row] === "labelled")) return;
  contra.push(["The row is labelled, and this term is not among its labels."]);
  const nDoubted = cells.filter((one) => one.standing === "doubted").length;
  if (nDoubted) {
    contra.push([`The model disagrees with ${count(nDoubted)} of the ${counted(nKnown, "known term")} of this row, so it may also be wrong here.`]);
  }
}

function fromNeighbors(data: Data, facts: Evidence, term: Term, { pro, contra }: Sides): void {
  const share = facts.votes.find(([voted]) => voted === term)?.[1];
  if (share !== undefined) pro.push([`Its share of the neighbours’ votes is ${percent(share, 0)}.`]);
  else if (facts.votes.length) contra.push(["It is not among the terms with the most votes of the neighbours."]);
  const near = new Map(facts.neighbors.map((one) => [one.id, one]));
  const voters = [...near.values()].filter((one) => one.labels.length);
  if (!voters.length) return;
  const carriers = voters.filter((one) => labelFor(data, one, term) !== undefined);
  const others = voters.filter((one) => !carriers.includes(one));
  const of = `of ${counted(voters.length, "neighbour")} with labels`;
  if (carriers.length) {
    pro.push([`${count(carriers.length)} ${of} ${carriers.length === 1 ? "has" : "have"} it: `, ...listed(carriers, (one) => carrier(data, one, term))]);
  }
  if (others.length) {
    const head = carriers.length ? `${count(others.length)} ${of} ${others.length === 1 ? "lacks" : "lack"} it: ` : `None ${of} has it: `;
    contra.push([head, ...listed(others, (one) => [neighborName(data, one)])]);
  }
}

const listed = (near: Neighbor[], tell: (one: Neighbor) => Reason): Reason => [
  ...near.flatMap((one, at) => [at ? ", " : "", ...tell(one)]),
  ".",
];

/** A near row that has the term, and through which label, if that is another one. */
function carrier(data: Data, one: Neighbor, term: Term): Reason {
  const label = labelFor(data, one, term)!;
  const by = label === term ? [] : ["through its descendant ", termLink(data, label), "; "];
  const given = one.labels_given ? "" : ", a label assigned by the model";
  return [neighborName(data, one), " (", ...by, `distance ${distance(one.distance)}${given})`];
}

/** The label that gives a near row the term: the term, or one under it. */
function labelFor(data: Data, one: Neighbor, term: Term): Term | undefined {
  const row = data.row(one.id);
  // The evidence has the first few labels; a row on the page has all.
  const labels = row !== undefined && one.labels_given && data.rows.known[row].length ? data.rows.known[row] : one.labels;
  return labels.includes(term) ? term : labels.find((label) => data.ancestors([label]).includes(term));
}

export const neighborName = (data: Data, one: Neighbor): HTMLElement => {
  const row = data.row(one.id);
  return row === undefined ? named(one.id) : rowLink(data, row);
};

/** What features add to the log odds of a term, and in which member of a mean. */
export function contributionText(parts: [string, number][], member: string): string {
  const list = parts.map(([name, value]) => `${name} ${signed(value)}`).join(", ");
  return `added to the log odds${member && ` in ${member}`}: ${list}`;
}

// What the model looks at ---------------------------------------------------------------

/** What each member of a mean of models says of the term. */
function members(facts: Evidence, term: Term): HTMLElement | null {
  const said = facts.members
    .map(({ name, share, scores }) => ({ name: `${name} (${percent(share, 0)})`, score: scores.find(([one]) => one === term)?.[1] ?? null }))
    .filter(({ score }) => score !== null) as { name: string; score: number }[];
  if (!said.length) return null;
  const items = said.map(({ name, score }) => {
    const filled = h("i", { class: "model" });
    filled.style.width = `${100 * Math.min(1, Math.max(0, score))}%`;
    const track = h("b", { class: "track" }, filled);
    return h("li", { class: "meter" }, h("span", { class: "long-name" }, named(name)), track, h("span", { class: "value" }, chance(score)));
  });
  return h("div", {}, h("h4", {}, "Score of each member of the model and its share, before calibration"), h("ol", { class: "meters" }, ...items));
}

function looksAt(data: Data, facts: Evidence | null, term: Term): HTMLElement | null {
  const parts = facts?.contributions.find(([one]) => one === term)?.[1];
  if (parts) return h("p", {}, named(`${sentence(contributionText(parts, facts.contributions_of))}.`));
  const features = data.terms.features?.[term] ?? [];
  if (!features.length) return null;
  return h("p", {}, "Most important features of this term: ", named(features.map(([name]) => name).join(", ")), ".");
}

