// One row: its terms, and why.

import type { Data } from "./data";
import { h, named } from "./dom";
import { count, counted, distance, fixed, percent, sentence } from "./format";
import { idColumn, rowHash, rowLink, termLink } from "./links";
import type { Evidence, Neighbor, Row, Term } from "./payload";
import { cellsOf, STANDINGS, type Cell, type Standing } from "./standing";
import { chosenCells, subgraph } from "./subgraph";
import { DataTable } from "./table";

export function rowPanel(data: Data, row: Row, asked: Term | undefined): HTMLElement {
  const cells = cellsOf(data, row);
  const chosen = asked ?? mostTelling(cells)?.term;
  const shown = chosenCells(data, cells, chosen);
  const standings = new Set(shown.map((cell) => cell.standing));
  const left = cells.length - shown.length;
  const { state, oof } = data.rows;
  const origin = oof[row]
    ? " Its probabilities are out of fold: the model that gave them had not seen its labels."
    : state[row] === "labelled"
      ? " The model was trained on its labels, so its probabilities are too good for terms that were known."
      : "";
  return h(
    "article",
    { class: "row-panel" },
    h("h2", { class: "long-name" }, "Row ", named(data.rows.id[row])),
    h("p", {}, `${state[row] === "new" ? "A new row" : state[row] === "labelled" ? "A labelled row" : "An unlabelled row"}.${origin}`),
    h(
      "section",
      {},
      h("h3", {}, "Its terms"),
      h(
        "p",
        { class: "note" },
        "The bar is the probability, the line across it the threshold. Click a term to see why.",
        left ? ` ${counted(left, "less probable term is", "less probable terms are")} in the table below only.` : "",
      ),
      standingLegend(standings),
      shown.length ? subgraph(data, row, shown, chosen) : h("p", {}, "No term is predicted or known."),
    ),
    chosen === undefined ? null : why(data, row, cells, chosen),
    evidence(data, row),
    cellTable(data, row, cells),
  );
}

/** What the reader most likely came for: a new term, else the most probable specific one. */
function mostTelling(cells: Cell[]): Cell | undefined {
  const fresh = cells.filter(({ standing }) => standing === "predicted");
  return fresh[fresh.length - 1] ?? cells.find(({ standing }) => standing !== "below") ?? cells[0];
}

function standingLegend(standings: Set<Standing>): HTMLElement {
  const items = (Object.keys(STANDINGS) as Standing[])
    .filter((standing) => standings.has(standing))
    .map((standing) => {
      const { glyph, help } = STANDINGS[standing];
      return h("span", {}, h("i", { class: `standing ${standing}` }, glyph), help);
    });
  return h("div", { class: "legend" }, ...items);
}

// Why this term -----------------------------------------------------------------------

function why(data: Data, row: Row, cells: Cell[], term: Term): HTMLElement {
  const cell = cells.find((one) => one.term === term);
  const facts = data.rows.evidence[row];
  return h(
    "section",
    { class: "why" },
    h("h3", { class: "long-name" }, "Why ", named(data.label(term)), "?"),
    h("ul", { class: "reasons" }, ...reasons(data, cell, term).map((item) => h("li", {}, item))),
    facts ? votes(data, facts, term) : null,
    facts ? opinions(facts, term) : null,
    h("p", {}, termLink(data, term, "All about this term")),
  );
}

function reasons(data: Data, cell: Cell | undefined, term: Term): string[] {
  const { frequency, threshold } = data.terms;
  const found: string[] = [];
  if (!cell || cell.probability === null) {
    found.push("The model gives it so small a probability for this row that the page leaves it out.");
  } else {
    const p = cell.probability;
    const f = frequency[term];
    const times = f ? p / f : null;
    const lift = times === null ? "" : times >= 1.05 ? `, ${fixed(times, times < 10 ? 1 : 0)} times its frequency of ${percent(f)}` : `, about or below its frequency of ${percent(f)}`;
    found.push(`Its probability is ${fixed(p)}${lift}.`);
    const limit = threshold[term];
    if (limit !== null) {
      const gap = Math.abs(p - limit);
      const text = gap < 0.001 ? "less than 0.001" : fixed(gap, gap < 0.01 ? 3 : 2);
      found.push(
        p >= limit
          ? `It passes the threshold of ${fixed(limit)} by ${text}.`
          : `It would need ${text} more to pass the threshold of ${fixed(limit)}.`,
      );
    }
    if (cell.precision !== null) {
      found.push(`Of all predictions at least as probable, ${percent(cell.precision, 0)} are right.`);
    }
  }
  if (cell) found.push(`For this row it was ${{ known: "known before", doubted: "known before: the label may be wrong, or the model", predicted: "not known before", below: "not known before", negative: "said not to hold", contradicted: "said not to hold: that may be wrong, or the model" }[cell.standing]}.`);
  return found;
}

function votes(data: Data, facts: Evidence, term: Term): HTMLElement | null {
  const near = facts.neighbours ?? [];
  const share = facts.votes?.find(([voted]) => voted === term)?.[1];
  if (!near.length && share === undefined) return null;
  const voters = near.filter((one) => one.labels.length);
  const carriers = voters.filter((one) => data.ancestors(one.labels, true).includes(term));
  const has = carriers.length === 1 ? "has" : "have";
  const sentences = [
    !voters.length
      ? ""
      : carriers.length
        ? `${count(carriers.length)} of ${counted(voters.length, "near row")} with labels ${has} it`
        : "no near row with labels has it",
    share === undefined ? "" : `its share of the votes is ${percent(share, 0)}`,
  ].filter(Boolean);
  const list = carriers.flatMap((one, at) => [
    at ? ", " : "",
    neighborName(data, one),
    ` (${distance(one.distance)}${one.labelled ? "" : ", a label that the model gave"})`,
  ]);
  const text = `${sentences.join(", and ")}${list.length ? ": " : "."}`;
  return h("p", {}, sentence(text), ...list, list.length ? ", distance in brackets." : "");
}

/** What each candidate of the model says of the term. */
function opinions(facts: Evidence, term: Term): HTMLElement | null {
  const said = (facts.candidates ?? [])
    .map(({ name, scores }) => ({ name, score: scores.find(([one]) => one === term)?.[1] ?? null }))
    .filter(({ score }) => score !== null) as { name: string; score: number }[];
  if (!said.length) return null;
  const items = said.map(({ name, score }) => {
    const filled = h("i", { class: "model" });
    filled.style.width = `${100 * Math.min(1, Math.max(0, score))}%`;
    const track = h("b", { class: "track" }, filled);
    return h("li", { class: "meter" }, h("span", { class: "long-name" }, named(name)), track, h("span", { class: "value" }, fixed(score)));
  });
  return h("div", {}, h("h4", {}, "What each part of the model gives it, before calibration"), h("ol", { class: "meters" }, ...items));
}

// Evidence of the row -------------------------------------------------------------------

function evidence(data: Data, row: Row): HTMLElement | null {
  const facts = data.rows.evidence[row];
  if (!facts) {
    return h("section", {}, h("h3", {}, "Evidence"), h("p", { class: "note" }, "This page holds no evidence for this row. The command “hilabel explain” tells it."));
  }
  const near = facts.neighbours ?? [];
  const parts = [
    near.length ? neighborTable(data, near) : null,
    facts.votes?.length ? voteTable(data, facts.votes) : null,
    facts.decisions?.length
      ? h("div", {}, h("h4", {}, "What its features say"), h("ol", { class: "decisions" }, ...facts.decisions.map((text) => h("li", {}, named(text)))))
      : null,
  ].filter((part) => part !== null);
  if (!parts.length) return null;
  return h("section", {}, h("h3", {}, "Evidence"), h("div", { class: "evidence" }, ...parts));
}

const neighborName = (data: Data, one: Neighbor): HTMLElement => {
  const row = data.row(one.id);
  return row === undefined ? named(one.id) : rowLink(data, row);
};

function neighborTable(data: Data, near: Neighbor[]): HTMLElement {
  const table = new DataTable<Neighbor>({
    name: "neighbours",
    caption: "Nearest rows",
    rows: near,
    size: 10,
    columns: [
      { key: "row", label: "nearest row", value: (one) => one.id, cell: (one) => neighborName(data, one) },
      { key: "distance", label: "distance", kind: "number", digits: 3, value: (one) => one.distance },
      ...(near.some((one) => one.seen_by)
        ? [{ key: "seen_by", label: "seen by", filter: true, value: (one: Neighbor) => one.seen_by ?? null }]
        : []),
      { key: "state", label: "labels", filter: true, value: (one) => (one.labelled ? "known" : one.labels.length ? "given by the model" : "none") },
      {
        key: "terms",
        label: "terms",
        value: (one) => one.labels.map(data.label).join("; "),
        cell: (one) => termList(data, one.labels),
      },
    ],
  });
  return h("div", {}, h("h4", {}, "Neighbours"), table.element);
}

function termList(data: Data, terms: Term[]): HTMLElement {
  const list = h("span", { class: "term-list" });
  terms.slice(0, 6).forEach((term, at) => list.append(at ? "; " : "", termLink(data, term)));
  if (terms.length > 6) list.append(`; ${count(terms.length - 6)} more`);
  return list;
}

function voteTable(data: Data, list: [Term, number][]): HTMLElement {
  const table = new DataTable<[Term, number]>({
    name: "votes",
    caption: "Votes",
    unit: "term",
    rows: list,
    size: 10,
    sorted: { key: "share", direction: -1 },
    columns: [
      { key: "term", label: "term", value: ([term]) => data.label(term), cell: ([term]) => termLink(data, term) },
      { key: "share", label: "share of the votes", kind: "percent", digits: 0, value: ([, share]) => share },
    ],
  });
  return h("div", {}, h("h4", {}, "Votes"), table.element);
}

function cellTable(data: Data, row: Row, cells: Cell[]): HTMLElement {
  const needs = ({ term, probability }: Cell) => {
    const threshold = data.terms.threshold[term];
    return threshold === null || probability === null || probability >= threshold ? null : threshold - probability;
  };
  const table = new DataTable<Cell>({
    name: "row_terms",
    caption: "All its terms",
    unit: "term",
    rows: cells,
    columns: [
      {
        key: "term",
        label: "term",
        value: ({ term }) => data.label(term),
        cell: ({ term }) => h("a", { href: rowHash(data, row, term) }, named(data.label(term))),
      },
      {
        key: "standing",
        label: "standing",
        filter: true,
        value: ({ standing }) => STANDINGS[standing].name,
        cell: ({ standing }) => h("span", { class: "with-mark" }, h("i", { class: `standing ${standing}` }, STANDINGS[standing].glyph), STANDINGS[standing].name),
      },
      { key: "probability", label: "probability", kind: "number", digits: 3, value: ({ probability }) => probability },
      { key: "threshold", label: "threshold", kind: "number", digits: 2, value: ({ term }) => data.terms.threshold[term] },
      { key: "needs", label: "needs more to pass", kind: "number", digits: 3, value: needs },
      { key: "precision", label: "precision from here on", kind: "percent", digits: 0, value: ({ precision }) => precision },
      { key: "frequency", label: "frequency", kind: "percent", value: ({ term }) => data.terms.frequency[term] },
      ...idColumn<Cell>(data, ({ term }) => term),
    ],
  });
  return h("section", {}, h("h3", {}, "All its terms"), table.element);
}
