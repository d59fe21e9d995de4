// The view of rows: a list, or one of them.

import type { Data } from "./data";
import { h } from "./dom";
import { rowHash, rowLink } from "./links";
import type { Row, Term } from "./payload";
import { rowPanel } from "./row";
import { DataTable } from "./table";

export class RowsView {
  readonly element = h("div");
  private list: HTMLElement | null = null;

  constructor(private readonly data: Data) {}

  show(row: Row | undefined, term: Term | undefined): void {
    if (row === undefined) {
      this.list ??= this.makeList();
      this.element.replaceChildren(this.list);
      return;
    }
    this.element.replaceChildren(this.steps(row), rowPanel(this.data, row, term));
  }

  private makeList(): HTMLElement {
    const { data } = this;
    if (!data.rows.id.length) {
      return h("section", { class: "first" }, h("h2", {}, "Rows"), h("p", {}, "This page was made without rows: give the model features to see what it predicts for them."));
    }
    const passing = (row: Row) =>
      data.rows.predicted[row].filter(([term, p]) => !data.terms.is_root[term] && data.passes(term, p));
    const known = data.rows.id.map((_, row) => data.known(row));
    const fresh = data.rows.id.map((_, row) => passing(row).filter(([term]) => !known[row].has(term)));
    const table = new DataTable<Row>({
      name: "rows",
      caption: "Rows",
      rows: data.rows.id.map((_, row) => row),
      columns: [
        { key: "row", label: "row", value: (row) => data.rows.id[row], cell: (row) => rowLink(data, row) },
        { key: "state", label: "state", filter: true, value: (row) => data.rows.state[row] },
        { key: "known", label: "terms known", kind: "number", value: (row) => data.rows.known[row].length },
        { key: "predicted", label: "terms that pass", kind: "number", value: (row) => passing(row).length },
        { key: "new", label: "of these new", kind: "number", value: (row) => fresh[row].length },
        {
          key: "most_probable_new",
          label: "most probable new term",
          value: (row) => (fresh[row].length ? data.label(deepest(data, fresh[row])[0]) : null),
          cell: (row) => {
            if (!fresh[row].length) return h("span", {}, "–");
            const [term] = deepest(data, fresh[row]);
            return h("a", { href: rowHash(data, row, term) }, h("bdi", {}, data.label(term)));
          },
        },
        {
          key: "probability",
          label: "its probability",
          kind: "number",
          digits: 2,
          value: (row) => (fresh[row].length ? deepest(data, fresh[row])[1] : null),
        },
      ],
    });
    return h(
      "section",
      { class: "first" },
      h("h2", {}, "Rows"),
      h("p", {}, "Choose a row to see its terms and the evidence for them, or find one by its id in the field above."),
      ...data.payload.left_out.map((sentence) => h("p", { class: "note" }, sentence)),
      table.element,
    );
  }

  private steps(row: Row): HTMLElement {
    const { data } = this;
    const step = (to: Row, label: string) =>
      data.rows.id[to] === undefined ? null : h("a", { href: rowHash(data, to) }, label);
    return h(
      "nav",
      { class: "steps", "aria-label": "Rows" },
      h("a", { href: "#rows" }, "All rows"),
      step(row - 1, "Previous row"),
      step(row + 1, "Next row"),
    );
  }
}

/** The most probable of those with nothing more specific beside them. */
function deepest(data: Data, list: [Term, number, number | null][]): [Term, number, number | null] {
  const above = new Set(data.ancestors(list.map(([term]) => term)));
  const leaves = list.filter(([term]) => !above.has(term));
  return leaves.reduce((best, one) => (one[1] > best[1] ? one : best));
}
