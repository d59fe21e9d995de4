// What to look at first: three lists.

import type { Data } from "./data";
import { h, named } from "./dom";
import { idColumn, rowHash, rowLink, termLink } from "./links";
import type { Row, ToCheck } from "./payload";
import { DataTable, type Column } from "./table";

const SIZE = 10;

export function checkView(data: Data): HTMLElement {
  const { new: fresh, surprising, label_next: next } = data.payload.to_check;
  const none = (text: string) => h("p", { class: "empty" }, text);
  return h(
    "div",
    {},
    h(
      "section",
      { id: "check-new", class: "first" },
      h("h2", {}, "Most probable new terms"),
      h("p", {}, "Not known before, and they reach their threshold. Those that tell most come first: probable here, and rare elsewhere. One term a row, the one that tells most."),
      fresh.length ? pairTable(data, "new", "Most probable new terms", fresh) : none("There are none."),
    ),
    h(
      "section",
      { id: "check-surprising" },
      h("h2", {}, "Labels that the model contradicts"),
      h("p", {}, "Known before, and the model finds them improbable: errors in the annotations, perhaps, or rows that are unlike others. Those it contradicts most come first, one a row."),
      surprising.length ? pairTable(data, "surprising", "Labels that the model contradicts", surprising) : none("There are none."),
    ),
    h(
      "section",
      { id: "check-label-next" },
      h("h2", {}, "Most useful to label next"),
      h("p", {}, "The rows of which the model is least certain. Their labels would teach it most."),
      next.length ? nextTable(data, next) : none("There are none."),
    ),
  );
}

function pairTable(data: Data, name: string, caption: string, rows: ToCheck[]): HTMLElement {
  const places = new Map(rows.map((row, place) => [row, place + 1]));
  const columns: Column<ToCheck>[] = [
    { key: "place", label: "place", kind: "number", value: (row) => places.get(row)! },
    { key: "row", label: "row", value: ([row]) => data.rows.id[row], cell: ([row, term]) => rowLink(data, row, term) },
    { key: "term", label: "term", value: ([, term]) => data.label(term), cell: ([, term]) => termLink(data, term) },
    { key: "probability", label: "probability", kind: "number", digits: 3, value: ([, , probability]) => probability },
    { key: "frequency", label: "frequency", kind: "percent", value: ([, term]) => data.terms.frequency[term] },
    { key: "depth", label: "depth", kind: "number", filter: true, value: ([, term]) => data.terms.depth[term] },
    ...idColumn<ToCheck>(data, ([, term]) => term),
    {
      key: "why",
      label: "",
      isLink: true,
      value: () => null,
      cell: ([row, term]) => h("a", { href: rowHash(data, row, term) }, "why?"),
    },
  ];
  if (name === "new") {
    columns.splice(4, 0, { key: "precision", label: "precision from here on", kind: "percent", digits: 0, value: ([, , , precision]) => precision });
  }
  return new DataTable({ name, caption, columns, rows, unit: "prediction", size: SIZE, sorted: { key: "place", direction: 1 } }).element;
}

function nextTable(data: Data, rows: [Row, number][]): HTMLElement {
  // The terms that it wavers on most.
  const open = (row: Row) =>
    data.rows.predicted[row]
      .filter(([term]) => !data.terms.is_root[term])
      .sort((a, b) => Math.abs(a[1] - 0.5) - Math.abs(b[1] - 0.5))
      .slice(0, 3)
      .map(([term]) => term);
  return new DataTable<[Row, number]>({
    name: "label_next",
    caption: "Most useful to label next",
    rows,
    size: SIZE,
    sorted: { key: "uncertainty", direction: -1 },
    columns: [
      { key: "row", label: "row", value: ([row]) => data.rows.id[row], cell: ([row]) => rowLink(data, row) },
      { key: "uncertainty", label: "bits its labels would tell", kind: "number", digits: 1, value: ([, uncertainty]) => uncertainty },
      {
        key: "open",
        label: "open questions",
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
      { key: "known", label: "terms known", kind: "number", value: ([row]) => data.rows.known[row].length },
    ],
  }).element;
}
