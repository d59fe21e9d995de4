// One row: its terms, and why.

import type { Data } from "./data";
import { h, named } from "./dom";
import { amount, count, counted, percent, sentence } from "./format";
import { idColumn, rowHash, termLink } from "./links";
import type { Evidence, Neighbor, Row, Term } from "./payload";
import { cellsOf, STANDINGS, type Cell, type Standing } from "./standing";
import { rowDiagram } from "./subgraph";
import { DataTable } from "./table";
import { contributionText, neighborName, whyBox } from "./why";

export function rowPanel(data: Data, row: Row, asked: Term | undefined): HTMLElement {
  const cells = cellsOf(data, row);
  const chosen = asked ?? mostTelling(data, row, cells);
  const { shown, element: diagram } = rowDiagram(data, row, cells, chosen);
  const standings = new Set(shown.map((cell) => cell.standing));
  const { state, scored } = data.rows;
  const origin = {
    "out of fold": " Its probabilities are out of fold: they are from models that were trained without its labels.",
    "by the model, which was trained on its labels":
      " The model was trained on its labels, so its probabilities are too optimistic for terms that were known.",
    "by the model": "",
  }[scored[row]];
  return h(
    "article",
    { class: "row-panel" },
    // A number alone would say too little.
    h("h2", { class: "long-name" }, /^\d+$/.test(data.rows.id[row]) ? "Row " : "", named(data.rows.id[row])),
    h("p", {}, `${state[row] === "new" ? "A new row" : state[row] === "labelled" ? "A labelled row" : "An unlabelled row"}.${origin}`),
    chosen === undefined ? null : whyBox(data, row, cells, chosen),
    h(
      "section",
      {},
      h("h3", {}, "Terms of this row"),
      h(
        "p",
        { class: "note" },
        "The bar shows the probability, and the line across it shows the threshold of the term. Click a term to see the evidence for and against it. ",
        leftOut(cells, shown),
      ),
      standingLegend(standings),
      shown.length ? diagram : h("p", {}, "No term is predicted or known."),
    ),
    evidence(data, row),
    cellTable(data, row, cells),
  );
}

/** What the reader most likely came for: the most informative new term, else the most probable. */
function mostTelling(data: Data, row: Row, cells: Cell[]): Term | undefined {
  const best = data.rows.most_informative[row];
  if (best !== null) return best;
  const fresh = cells.filter(({ standing }) => standing === "predicted");
  return (fresh[fresh.length - 1] ?? cells.find(({ standing }) => standing !== "below") ?? cells[0])?.term;
}

/** What the picture has no room for. */
function leftOut(cells: Cell[], shown: Cell[]): string {
  const left = cells.filter((cell) => !shown.includes(cell));
  if (!left.length) return "";
  const parts = (["predicted", "implied", "known", "doubted"] as Standing[])
    .map((standing) => [left.filter((cell) => cell.standing === standing).length, STANDINGS[standing].name] as const)
    .filter(([n]) => n)
    .map(([n, name]) => `${count(n)} ${name}`);
  const which = parts.length ? ` (${parts.join("; ")})` : "";
  return `${counted(left.length, "more term is", "more terms are")} in the table below${which}.`;
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

// Evidence of the row -------------------------------------------------------------------

function evidence(data: Data, row: Row): HTMLElement | null {
  const facts = data.rows.evidence[row];
  if (!facts) {
    return h("section", {}, h("h3", {}, "Evidence"), h("p", { class: "note" }, "This report contains no evidence for this row. Run “hilabel explain” to obtain it."));
  }
  const parts = [
    facts.neighbors.length ? neighborTable(data, facts.neighbors) : null,
    facts.votes.length ? voteTable(data, facts.votes) : null,
    facts.contributions.length ? contributions(data, facts) : null,
    path(facts),
  ].filter((part) => part !== null);
  if (!parts.length) return null;
  const isFinal = data.rows.scored[row] === "out of fold";
  return h(
    "section",
    {},
    h("h3", {}, "Evidence"),
    isFinal ? h("p", { class: "note" }, "The evidence is that of the final model, which was trained on the labels of this row. The row itself is never among its neighbours. Scores of single members are left out, because they know its labels.") : null,
    h("div", { class: "evidence" }, ...parts),
  );
}

/** What trees test on the row's way. */
function path({ splits, tests, path_of }: Evidence): HTMLElement | null {
  const steps = [
    ...splits.map(({ decision, value, rows }) => `${decision} (the row has ${amount(value)}; ${count(rows)} training rows came this far)`),
    ...tests.map(({ feature, value, share, median_threshold }) => `${percent(share, 0)} of trees test ${feature} (here ${amount(value)}; median cut-off ${amount(median_threshold)})`),
  ];
  if (!steps.length) return null;
  const of = path_of ? ` of ${path_of}` : "";
  return h(
    "div",
    {},
    h("h4", {}, `Splits of the trees${of} on its path`),
    h("p", { class: "note" }, "These splits belong to the row, so they are the same for all its terms."),
    h("ol", { class: "decisions" }, ...steps.map((text) => h("li", {}, named(text)))),
  );
}

function contributions(data: Data, facts: Evidence): HTMLElement {
  const items = facts.contributions.map(([term, parts]) => h("li", {}, termLink(data, term), ": ", named(contributionText(parts, facts.contributions_of))));
  return h("div", {}, h("h4", {}, "Contributions of its features"), h("ol", { class: "decisions" }, ...items));
}

/** What distances mean: those of trees have a scale of their own. */
function scaleOf(near: Neighbor[]): string {
  const byLeaves = near.filter((one) => one.shares_leaves).length;
  const leaves = "the share of trees in which the two rows are in different leaves; for most pairs of rows, it is near 1";
  const plain = "as measured by the method; it can only be compared with the other distances in this table";
  return byLeaves === near.length ? leaves : byLeaves ? `${leaves}; for other parts of the model, ${plain}` : plain;
}

function neighborTable(data: Data, near: Neighbor[]): HTMLElement {
  const state = (one: Neighbor) => (one.labels_given ? "known" : one.labels.length ? "assigned by the model" : "none");
  // A column that is the same on every row says nothing.
  const differ = (value: (one: Neighbor) => string) => new Set(near.map(value)).size > 1;
  const table = new DataTable<Neighbor>({
    name: "neighbours",
    caption: "Nearest rows",
    rows: near,
    size: 10,
    columns: [
      { key: "row", label: "nearest row", stays: true, value: (one) => one.id, cell: (one) => neighborName(data, one) },
      { key: "distance", label: "distance", kind: "number", digits: 3, help: sentence(scaleOf(near)), value: (one) => one.distance },
      ...(differ((one) => one.found_by)
        ? [{ key: "found_by", label: "found by", filter: true, help: "The part of the model that found this row", value: (one: Neighbor) => one.found_by }]
        : []),
      ...(differ(state) ? [{ key: "state", label: "labels", filter: true, help: "Where its labels come from", value: state }] : []),
      {
        key: "terms",
        label: "most specific terms",
        help: "The row also has all their ancestors",
        value: (one) => one.labels.map(data.label).join("; "),
        cell: (one) => termList(data, one.labels),
      },
    ],
  });
  return h("div", {}, h("h4", {}, "Neighbours"), h("p", { class: "note" }, `Distance: ${scaleOf(near)}.`), table.element);
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
      { key: "term", label: "term", stays: true, value: ([term]) => data.label(term), cell: ([term]) => termLink(data, term) },
      { key: "share", label: "share of the votes", kind: "percent", digits: 0, value: ([, share]) => share },
    ],
  });
  return h("div", {}, h("h4", {}, "Votes"), table.element);
}

function cellTable(data: Data, row: Row, cells: Cell[]): HTMLElement {
  const needs = ({ term, probability }: Cell) => {
    const threshold = data.terms.threshold[term];
    return probability === null || probability >= threshold ? null : threshold - probability;
  };
  const table = new DataTable<Cell>({
    name: "row_terms",
    caption: "All terms of this row",
    unit: "term",
    rows: cells,
    columns: [
      {
        key: "term",
        label: "term",
        stays: true,
        value: ({ term }) => data.label(term),
        cell: ({ term }) => h("a", { href: rowHash(data, row, term) }, named(data.label(term))),
      },
      {
        key: "status",
        label: "status",
        help: "Whether the term was known before, and whether the model predicts it",
        filter: true,
        value: ({ standing }) => STANDINGS[standing].name,
        cell: ({ standing }) => h("span", { class: "with-mark" }, h("i", { class: `standing ${standing}` }, STANDINGS[standing].glyph), STANDINGS[standing].name),
      },
      { key: "probability", label: "probability", kind: "number", digits: 3, help: "The probability that the row has the term, calibrated if the model is", value: ({ probability }) => probability },
      { key: "threshold", label: "threshold", kind: "number", digits: 3, help: "The threshold of the term, or the shared one if too few rows have the term", value: ({ term }) => data.terms.threshold[term] },
      { key: "needs", label: "missing to the threshold", help: "How far the probability is below the threshold", kind: "number", digits: 3, value: needs },
      { key: "term_precision", label: "precision", help: "The share of the rows that get the term at its threshold that have it", kind: "percent", digits: 0, value: ({ term }) => data.terms.precision[term] },
      { key: "term_recall", label: "recall", help: "The share of the rows that have the term that get it at its threshold", kind: "percent", digits: 0, value: ({ term }) => data.terms.recall[term] },
      { key: "precision", label: "share right at this probability or higher (all terms)", help: "The share of correct predictions among all that are at least as probable, for any term, in cross-validation or on the given rows", kind: "percent", digits: 0, value: ({ precision }) => precision },
      { key: "frequency", label: "frequency", kind: "percent", help: "Share of the labelled rows that have the term", value: ({ term }) => data.terms.frequency[term] },
      ...idColumn<Cell>(data, ({ term }) => term),
    ],
  });
  return h("section", {}, h("h3", {}, "All terms of this row"), table.element);
}
