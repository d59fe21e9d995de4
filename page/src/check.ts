// What to look at first: three lists.

import type { Data } from "./data";
import { h, named } from "./dom";
import { idColumn, rowHash, rowLink, termLink } from "./links";
import type { Row, Term, ToCheck } from "./payload";
import { DataTable, type Column } from "./table";

const SIZE = 10;

export function checkView(data: Data): HTMLElement {
  const { new: fresh, surprising, label_next: next } = data.payload.to_check;
  const lists = [
    {
      id: "check-new",
      title: "Most informative new terms",
      text: "These terms are predicted and were not known before. The most informative ones come first: probable for the row, and rare overall. Each row has one term.",
      table: fresh.length ? pairTable(data, "new", "Most informative new terms", fresh) : null,
    },
    {
      id: "check-surprising",
      title: "Labels that the model contradicts",
      text: "These labels were known before, but the model considers them improbable. They may be errors in the annotations, or the rows may be unusual. The strongest contradictions come first. Each row has one label.",
      table: surprising.length ? pairTable(data, "surprising", "Labels that the model contradicts", surprising) : null,
    },
    {
      id: "check-label-next",
      title: "Most useful to label next",
      text: "These are the unlabelled rows for which the model is least certain. Their labels would improve it most.",
      table: next.length ? nextTable(data, next) : null,
    },
  ];
  const begin = lists.findIndex(({ table }) => table);
  return h(
    "div",
    {},
    h(
      "section",
      { class: "first" },
      h("h2", {}, "Where to begin"),
      h(
        "p",
        {},
        begin < 0
          ? "There is nothing to check."
          : `Begin with list ${begin + 1}; check its first ten rows first. `,
        begin === 0 && lists[1].table ? "If you are looking for errors in existing labels, begin with list 2. " : "",
        begin === 0 && lists[2].table ? "List 3 shows which rows to label next." : "",
      ),
    ),
    ...lists.map(({ id, title, text, table }, at) =>
      h("section", { id }, h("h2", {}, `${at + 1}. ${title}`), h("p", {}, text), table ?? h("p", { class: "empty" }, "There are none.")),
    ),
  );
}

const why = (data: Data, row: Row, term?: Term) => h("a", { href: rowHash(data, row, term) }, "why?");

function pairTable(data: Data, name: "new" | "surprising", caption: string, rows: ToCheck[]): HTMLElement {
  const places = new Map(rows.map((row, place) => [row, place + 1]));
  const worth =
    name === "new"
      ? { label: "information (bits)", help: "The list is sorted by this value: probability × log2(probability / frequency)" }
      : { label: "surprise (log odds)", help: "The list is sorted by this value: how far the log odds are below those of the term’s frequency" };
  const columns: Column<ToCheck>[] = [
    { key: "place", label: "rank", kind: "number", value: (row) => places.get(row)! },
    { key: "row", label: "row", stays: true, value: ([row]) => data.rows.id[row], cell: ([row, term]) => rowLink(data, row, term) },
    { key: "term", label: "term", value: ([, term]) => data.label(term), cell: ([, term]) => termLink(data, term) },
    { key: "worth", ...worth, kind: "number", digits: 2, value: ([, , , , bits]) => bits },
    { key: "probability", label: "probability", kind: "number", digits: 3, help: "The probability that the row has the term", value: ([, , probability]) => probability },
    { key: "frequency", label: "frequency", kind: "percent", help: "Share of the labelled rows that have the term", value: ([, term]) => data.terms.frequency[term] },
    { key: "depth", label: "depth", kind: "number", filter: true, help: "Steps from the top of the hierarchy", value: ([, term]) => data.terms.depth[term] },
    ...idColumn<ToCheck>(data, ([, term]) => term),
    { key: "why", label: "", isLink: true, value: () => null, cell: ([row, term]) => why(data, row, term) },
  ];
  if (name === "new") {
    columns.splice(5, 0, { key: "precision", label: "share right at this probability or higher (all terms)", help: "The share of correct predictions among all that are at least as probable, for any term", kind: "percent", digits: 0, value: ([, , , precision]) => precision });
  }
  return new DataTable({ name, caption, columns, rows, unit: "prediction", size: SIZE, sorted: { key: "place", direction: 1 } }).element;
}

function nextTable(data: Data, rows: [Row, number][]): HTMLElement {
  // The terms that it wavers on most.
  const open = (row: Row) =>
    data
      .shown(row)
      .filter(([term]) => !data.terms.is_uninformative[term])
      .sort((a, b) => Math.abs(a[1] - 0.5) - Math.abs(b[1] - 0.5))
      .slice(0, 3)
      .map(([term]) => term);
  const places = new Map(rows.map((row, place) => [row, place + 1]));
  return new DataTable<[Row, number]>({
    name: "label_next",
    caption: "Most useful to label next",
    rows,
    size: SIZE,
    sorted: { key: "place", direction: 1 },
    columns: [
      { key: "place", label: "rank", kind: "number", value: (row) => places.get(row)! },
      { key: "row", label: "row", stays: true, value: ([row]) => data.rows.id[row], cell: ([row]) => rowLink(data, row, open(row)[0]) },
      { key: "uncertainty", label: "uncertainty (bits)", help: "The entropy of its terms, each given its parents", kind: "number", digits: 1, value: ([, uncertainty]) => uncertainty },
      {
        key: "open",
        label: "least certain terms",
        help: "Probabilities nearest to one half",
        value: ([row]) => open(row).map(data.label).join("; "),
        cell: ([row]) => {
          const list = h("span", { class: "term-list" });
          open(row).forEach((term, at) => {
            const label = named(data.label(term));
            list.append(at ? "; " : "", h("a", { href: rowHash(data, row, term) }, label));
          });
          return list;
        },
      },
      { key: "known", label: "terms known", kind: "number", help: "Including all their ancestors", value: ([row]) => data.nKnown(row) },
      { key: "why", label: "", isLink: true, value: () => null, cell: ([row]) => why(data, row, open(row)[0]) },
    ],
  }).element;
}
