// The view of rows: a list, or one of them.

import type { Data } from "./data";
import { h, named } from "./dom";
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

  /** Shows the answer for a term that was chosen farther down. */
  scrollToWhy(): void {
    const box = this.element.querySelector("#why");
    if (box && box.getBoundingClientRect().top < 60) box.scrollIntoView();
  }

  private makeList(): HTMLElement {
    const { data } = this;
    if (!data.rows.id.length) {
      return h("section", { class: "first" }, h("h2", {}, "Rows"), h("p", {}, "This report was created without rows. Pass features to see what the model predicts for them."));
    }
    const best = data.rows.most_informative;
    const chanceOf = (row: Row) => data.rows.predicted[row].find(([term]) => term === best[row])?.[1] ?? null;
    const table = new DataTable<Row>({
      name: "rows",
      caption: "Rows",
      rows: data.rows.id.map((_, row) => row),
      columns: [
        { key: "row", label: "row", stays: true, value: (row) => data.rows.id[row], cell: (row) => rowLink(data, row) },
        { key: "state", label: "state", filter: true, help: "The role of the row in training", value: (row) => data.rows.state[row] },
        { key: "known", label: "terms known", kind: "number", help: "Labels known before, including all their ancestors", value: (row) => data.nKnown(row) },
        { key: "predicted", label: "terms predicted", kind: "number", help: "Terms that reach their threshold, and all their ancestors", value: (row) => data.rows.n_predicted[row] },
        { key: "new", label: "new terms predicted", kind: "number", help: "Predicted, and not known before", value: (row) => data.rows.n_new[row] },
        {
          key: "most_informative_new",
          label: "most informative new term",
          help: "Probable for this row and rare overall, among the terms that the model predicts better than by chance; as in Check first",
          value: (row) => (best[row] === null ? null : data.label(best[row])),
          cell: (row) => (best[row] === null ? h("span", {}, "–") : h("a", { href: rowHash(data, row, best[row]) }, named(data.label(best[row])))),
        },
        { key: "probability", label: "its probability", kind: "number", digits: 3, value: chanceOf },
      ],
    });
    return h(
      "section",
      { class: "first" },
      h("h2", {}, "Rows"),
      h("p", {}, "Click a row to see its terms and the evidence for them, or find a row by its id in the search field above."),
      data.payload.left_out.length
        ? h("p", { class: "note" }, h("a", { href: "#model" }, "What this report leaves out"), " is listed under Model.")
        : null,
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
