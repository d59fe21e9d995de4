// The view of the hierarchy: all of it in one picture, a tree to walk, a term, tables.

import type { Data } from "./data";
import { button, h } from "./dom";
import { idColumn, termLink } from "./links";
import { Overview } from "./overview";
import type { Term } from "./payload";
import { legend, stepBar, swatch } from "./quality";
import { DataTable } from "./table";
import { termPanel } from "./term";
import { TreeView } from "./tree";

/** Pixels of the tree that must be in view when a term is chosen. */
const ENOUGH_SEEN = 200;

export class HierarchyView {
  readonly element: HTMLElement;
  private readonly overview: Overview;
  private readonly tree: TreeView;
  private readonly walk: HTMLElement;
  private readonly side = h("aside", { class: "side-panel", "aria-live": "polite", tabindex: -1 });

  constructor(
    private readonly data: Data,
    go: (hash: string) => void,
  ) {
    const choose = (term: Term) => go(`#term=${encodeURIComponent(data.terms.id[term])}`);
    this.overview = new Overview(data, choose);
    this.tree = new TreeView(data, choose);
    this.walk = h("div", { class: "walk" }, this.tree.element, this.side);
    const whole = button("Whole hierarchy", () => go("#hierarchy"));
    const branches = branchTable(data);
    this.element = h(
      "div",
      {},
      h(
        "section",
        { class: "first" },
        h("h2", {}, "All terms by quality"),
        h(
          "p",
          {},
          "A row per level, weak branches on the left. Wide cells are measured terms, thin grey ones are not measured. Click a cell to widen it and walk there. ",
          whole,
        ),
        legend(),
        this.overview.element,
      ),
      h(
        "section",
        { id: "walk" },
        h("h2", {}, "Walk the hierarchy"),
        h("p", {}, "Click a term to open it and read about it. The strip below a closed term shows the quality of all that is in it. Drag to move, Ctrl and wheel to zoom; arrow keys walk."),
        this.walk,
      ),
      branches
        ? h(
            "section",
            { id: "branches" },
            h("h2", {}, "Branches, the weakest first"),
            h("p", {}, "The mean quality of the measured terms of each larger branch near the top."),
            branches,
          )
        : null,
      h("section", { id: "terms" }, h("h2", {}, "All terms"), termTable(data)),
    );
  }

  show(term: Term | undefined): void {
    this.side.replaceChildren(
      term === undefined
        ? h("p", { class: "empty" }, "Choose a term to see its figures, its parents and ancestors, its features and its rows.")
        : termPanel(this.data, term),
    );
    this.overview.select(term ?? null);
    this.tree.select(term ?? null);
  }

  /** Scrolls to the tree, if hardly any of it is in view or `always`. */
  scrollToTree(always: boolean): void {
    const { top, bottom } = this.walk.getBoundingClientRect();
    const seen = Math.min(bottom, window.innerHeight) - Math.max(top, 0);
    if (always || seen < ENOUGH_SEEN) this.walk.scrollIntoView();
  }

  redraw(): void {
    this.overview.draw();
  }
}

/** Branches near the top with a few measured terms, and how good these are. */
function branchTable(data: Data): HTMLElement | null {
  const branches = data.largeBranches();
  if (branches.length < 2) return null;
  return new DataTable<Term>({
    name: "branches",
    caption: "Branches, the weakest first",
    unit: "branch",
    rows: branches,
    size: 10,
    sorted: { key: "quality", direction: 1 },
    columns: [
      { key: "term", label: "branch", value: data.label, cell: (term) => termLink(data, term) },
      ...aspectColumn(data),
      { key: "level", label: "depth", kind: "number", filter: true, value: (term) => data.terms.depth[term] },
      { key: "quality", label: "mean quality", kind: "number", digits: 2, value: (term) => data.branch(term).quality },
      {
        key: "no_better",
        label: "no better than frequency",
        kind: "percent",
        digits: 0,
        value: (term) => data.branch(term).steps[0] / data.branch(term).measured,
      },
      { key: "measured", label: "terms measured", kind: "number", value: (term) => data.branch(term).measured },
      { key: "terms", label: "terms", kind: "number", value: (term) => data.branch(term).terms },
      {
        key: "reliable",
        label: "better than by chance",
        kind: "number",
        value: (term) => data.branch(term).reliable,
      },
      {
        key: "steps",
        label: "by quality",
        value: (term) => Array.from(data.branch(term).steps).join(" "),
        cell: (term) => stepBar(data.branch(term).steps),
      },
      ...idColumn<Term>(data, (term) => term),
    ],
  }).element;
}

function termTable(data: Data): HTMLElement {
  const { terms } = data;
  return new DataTable<Term>({
    name: "terms",
    caption: "All terms",
    unit: "term",
    rows: Array.from({ length: data.nTerms }, (_, term) => term),
    columns: [
      {
        key: "name",
        label: "term",
        value: data.label,
        cell: (term) => h("span", { class: "with-mark" }, swatch(data.quality[term]), termLink(data, term)),
      },
      ...aspectColumn(data),
      { key: "depth", label: "depth", kind: "number", filter: true, value: (term) => terms.depth[term] },
      { key: "rows", label: "rows", kind: "number", value: (term) => terms.rows[term] },
      { key: "frequency", label: "frequency", kind: "percent", value: (term) => terms.frequency[term] },
      { key: "average_precision", label: "average precision", kind: "number", digits: 3, value: (term) => terms.ap[term] },
      { key: "quality", label: "quality", kind: "number", digits: 2, value: (term) => data.quality[term] },
      {
        key: "reliable",
        label: "better than by chance",
        filter: true,
        value: (term) => (terms.reliable[term] === null ? null : terms.reliable[term] ? "yes" : "no"),
      },
      { key: "calibration_error", label: "calibration error", kind: "number", digits: 3, value: (term) => terms.calibration_error[term] },
      { key: "threshold", label: "threshold", kind: "number", digits: 2, value: (term) => terms.threshold[term] },
      ...idColumn<Term>(data, (term) => term),
    ],
    sorted: { key: "rows", direction: -1 },
  }).element;
}

const aspectColumn = (data: Data) =>
  data.terms.aspect
    ? [{ key: "aspect", label: "aspect", filter: true, value: (term: Term) => data.terms.aspect![term] }]
    : [];
