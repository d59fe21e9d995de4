// The view of the hierarchy: all of it in one picture, a tree to walk, a term, tables.

import type { Data } from "./data";
import { button, h } from "./dom";
import { count, digitsFor, fixed } from "./format";
import { idColumn, termLink } from "./links";
import { Overview } from "./overview";
import type { Term } from "./payload";
import { legend, stepBar, swatch } from "./quality";
import { DataTable } from "./table";
import { termPanel } from "./term";
import { TreeView } from "./tree";

/** So many of the weakest and strongest branches are named first. */
const FEW = 5;
/** Pixels of the tree that must be in view when a term is chosen. */
const ENOUGH_SEEN = 200;

export class HierarchyView {
  readonly element: HTMLElement;
  private readonly overview: Overview;
  private readonly tree: TreeView;
  private readonly walk: HTMLElement;
  private readonly walkSection: HTMLElement;
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
    this.walkSection = h(
      "section",
      { id: "walk" },
      h("h2", {}, "Browse the hierarchy"),
      h(
        "p",
        {},
        "Click a term to expand it and to see its details. Terms with the most rows come first. The strip below a collapsed term shows the quality of all terms in its branch. ",
        h("span", { class: "for-mouse" }, "Drag to move; use + and −, or Ctrl and the mouse wheel, to zoom, and the arrow keys to navigate."),
        h("span", { class: "for-touch" }, "Drag to move, and pinch to zoom."),
      ),
      this.walk,
    );
    this.element = h(
      "div",
      {},
      h(
        "section",
        { class: "first", id: "extremes" },
        extremes(data),
      ),
      h(
        "section",
        {},
        h("h2", {}, "All terms by quality"),
        h(
          "p",
          {},
          "Each line shows one level of the hierarchy; below each term, its weakest branches are on the left. Wide cells are measured terms; thin grey cells are not measured. Click a cell to zoom in and to show its term in the tree below. ",
          whole,
        ),
        legend(),
        this.overview.element,
      ),
      this.walkSection,
      branches
        ? h(
            "section",
            { id: "branches" },
            h("h2", {}, "All larger branches, the weakest first"),
            h("p", {}, "The table shows the mean quality of the measured terms of each larger branch near the top of the hierarchy."),
            branches,
          )
        : null,
      h("section", { id: "terms" }, h("h2", {}, "All terms"), termTable(data)),
    );
  }

  show(term: Term | undefined): void {
    this.side.replaceChildren(
      term === undefined
        ? h("p", { class: "empty" }, "Click a term to see its scores, parents, ancestors, features and rows.")
        : termPanel(this.data, term),
    );
    this.overview.select(term ?? null);
    this.tree.select(term ?? null);
  }

  /** Scrolls to the tree, if hardly any of it is in view or `always`. */
  scrollToTree(always: boolean): void {
    const { top, bottom } = this.walk.getBoundingClientRect();
    const seen = Math.min(bottom, window.innerHeight) - Math.max(top, 0);
    if (always || seen < ENOUGH_SEEN) this.walkSection.scrollIntoView();
  }

  redraw(): void {
    this.overview.draw();
  }
}

/** The weakest and the strongest branches, side by side. */
function extremes(data: Data): HTMLElement | null {
  const branches = data.largeBranches();
  if (branches.length < 2) return null;
  const most = Math.min(FEW, Math.floor(branches.length / 2));
  const list = (id: string, title: string, terms: Term[]) => {
    const digits = Math.max(3, digitsFor(terms.map((term) => data.branch(term).quality!)));
    const items = terms.map((term) => {
      const { quality, measured, steps } = data.branch(term);
      return h(
        "li",
        {},
        h("span", { class: "long-name" }, termLink(data, term)),
        h("span", { class: "value" }, fixed(quality, digits)),
        h("small", {}, `${count(measured)} measured`),
        stepBar(steps),
      );
    });
    return h("div", { id }, h("h2", {}, title), h("ol", {}, ...items));
  };
  return h(
    "div",
    {},
    h(
      "div",
      { class: "extreme-lists" },
      list("weakest", "Weakest branches", branches.slice(0, most)),
      list("strongest", "Strongest branches", branches.slice(-most).reverse()),
    ),
    h("p", { class: "note" }, "Branches are sorted by the mean quality of their measured terms: 0 is no better than the frequency, 1 is perfect. Only branches near the top with enough measured terms are included. ", button("Show all", toBranches)),
  );
}

const toBranches = () => document.getElementById("branches")?.scrollIntoView();

/** Branches near the top with a few measured terms, and how good these are. */
function branchTable(data: Data): HTMLElement | null {
  const branches = data.largeBranches();
  if (branches.length < 2) return null;
  return new DataTable<Term>({
    name: "branches",
    caption: "All larger branches, the weakest first",
    unit: "branch",
    rows: branches,
    size: 10,
    sorted: { key: "quality", direction: 1 },
    columns: [
      { key: "term", label: "branch", stays: true, value: data.label, cell: (term) => termLink(data, term) },
      ...aspectColumn(data),
      { key: "level", label: "depth", kind: "number", filter: true, help: "Steps from the top of the hierarchy", value: (term) => data.terms.depth[term] },
      { key: "quality", label: "mean quality", kind: "number", digits: Math.max(3, digitsFor(branches.map((term) => data.branch(term).quality!))), help: "The mean over its measured terms: 0 is no better than the frequency, 1 is perfect", value: (term) => data.branch(term).quality },
      {
        key: "no_better",
        label: "share at 0 or less",
        help: "Share of its measured terms that are no better than their frequency, or worse",
        kind: "percent",
        digits: 0,
        value: (term) => data.branch(term).steps[0] / data.branch(term).measured,
      },
      { key: "measured", label: "terms measured", help: "Terms whose quality was measured", kind: "number", value: (term) => data.branch(term).measured },
      { key: "terms", label: "terms", kind: "number", value: (term) => data.branch(term).terms },
      {
        key: "reliable",
        label: "better than by chance",
        help: "Terms that the model predicts better than by chance",
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
        stays: true,
        value: data.label,
        cell: (term) => h("span", { class: "with-mark" }, swatch(data.quality[term]), termLink(data, term)),
      },
      ...aspectColumn(data),
      { key: "depth", label: "depth", kind: "number", filter: true, help: "Steps from the top of the hierarchy", value: (term) => terms.depth[term] },
      { key: "rows", label: "rows", kind: "number", help: "Labelled rows that have the term", value: (term) => terms.rows[term] },
      { key: "frequency", label: "frequency", kind: "percent", help: "Share of the labelled rows that have the term", value: (term) => terms.frequency[term] },
      { key: "average_precision", label: "average precision", kind: "number", digits: 3, help: "Guessing scores the frequency; 1 is perfect", value: (term) => terms.ap[term] },
      { key: "quality", label: "quality", kind: "number", digits: 3, help: "How far average precision is above the frequency: 0 is no better, 1 is perfect", value: (term) => data.quality[term] },
      {
        key: "reliable",
        label: "better than by chance",
        help: "Whether the model predicts the term better than by chance",
        missing: "not measured",
        filter: true,
        value: (term) => (terms.reliable[term] === null ? null : terms.reliable[term] ? "yes" : "no"),
      },
      { key: "calibration_error", label: "calibration error", kind: "number", digits: 3, help: "How far probabilities are from the share of rows that have the term", value: (term) => terms.calibration_error[term] },
      { key: "threshold", label: "threshold", kind: "number", digits: 3, help: "The lowest probability for which the term is predicted", value: (term) => terms.threshold[term] },
      ...idColumn<Term>(data, (term) => term),
    ],
    sorted: { key: "rows", direction: -1 },
  }).element;
}

const aspectColumn = (data: Data) =>
  data.terms.aspect
    ? [{ key: "aspect", label: "aspect", filter: true, value: (term: Term) => data.terms.aspect![term] }]
    : [];
