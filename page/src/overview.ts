// All terms in one picture: a row per level, under each term its weak branches on the left.

import type { Data } from "./data";
import { clipped, FONT, h } from "./dom";
import { fixed } from "./format";
import type { Term } from "./payload";
import { stepOf, UNMEASURED } from "./quality";

/** Terms without a score take little room, so that those with one are seen. */
const UNMEASURED_WEIGHT = 0.06;
const MOST_HEIGHT = 190;

export class Overview {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { role: "img", "aria-label": "All terms, coloured by quality" });
  private readonly tip = h("div", { class: "tip", hidden: true });
  private readonly left: Float64Array;
  private readonly right: Float64Array;
  private readonly level: Uint16Array;
  private readonly nLevels: number;
  /** Children under their first parent, weak branches first. */
  private readonly below: Term[][];
  private readonly top: Term[];
  private frame = 0;
  private shown: [number, number] = [0, 1];
  private selected: Term | null = null;
  private drawnWidth = 0;

  constructor(
    private readonly data: Data,
    private readonly choose: (term: Term) => void,
  ) {
    const n = data.nTerms;
    this.left = new Float64Array(n);
    this.right = new Float64Array(n);
    this.level = new Uint16Array(n);
    const mean = Float64Array.from({ length: n }, (_, term) => data.branch(term).quality ?? Infinity);
    const weakFirst = (terms: Term[]) =>
      terms.length < 2 ? terms : [...terms].sort((a, b) => (mean[a] === mean[b] ? a - b : mean[a] - mean[b]));
    this.below = data.treeChildren.map(weakFirst);
    this.top = weakFirst(data.roots);
    this.nLevels = this.place();
    this.element = h("div", { class: "overview" }, this.canvas, this.tip);
    this.canvas.addEventListener("click", (event) => {
      const term = this.termAt(event);
      if (term === null) return;
      this.widen(term);
      this.choose(term);
    });
    this.canvas.addEventListener("pointermove", (event) => this.showTip(event));
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    new ResizeObserver(() => {
      if (this.element.clientWidth !== this.drawnWidth) this.draw();
    }).observe(this.element);
  }

  /** Gives every term its share of the width; returns the number of levels. */
  private place(): number {
    const { data } = this;
    const weight = new Float64Array(data.nTerms);
    for (let term = data.nTerms - 1; term >= 0; term--) {
      const own = data.quality[term] === null ? UNMEASURED_WEIGHT : 1;
      weight[term] = Math.max(weight[term], own);
      const parent = data.treeParent(term);
      if (parent !== null) weight[parent] += weight[term];
    }
    let deepest = 0;
    const spread = (terms: Term[], from: number, to: number, total: number, level: number) => {
      let x = from;
      for (const term of terms) {
        const next = x + ((to - from) * weight[term]) / total;
        [this.left[term], this.right[term], this.level[term]] = [x, next, level];
        x = next;
      }
      deepest = Math.max(deepest, level);
    };
    const total = data.roots.reduce((sum, root) => sum + weight[root], 0);
    spread(this.top, 0, 1, total, 0);
    // Parents come before their children.
    for (let term = 0; term < data.nTerms; term++) {
      const below = this.below[term];
      if (!below.length) continue;
      spread(below, this.left[term], this.right[term], weight[term], this.level[term] + 1);
    }
    return deepest + 1;
  }

  /** Gives a branch all the room; a leaf is shown among its siblings. */
  private widen(term: Term): void {
    const wide = this.below[term].length ? term : this.data.treeParent(term);
    this.shown = wide === null ? [0, 1] : [this.left[wide], this.right[wide]];
  }

  /** Brings out a term where it is; without one, shows the whole. */
  select(term: Term | null): void {
    this.selected = term;
    const isOutside = term === null || this.right[term] <= this.shown[0] || this.left[term] >= this.shown[1];
    if (isOutside) this.shown = [0, 1];
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  draw(): void {
    const width = (this.drawnWidth = this.element.clientWidth);
    if (!width) return;
    const step = this.levelHeight();
    const height = Math.ceil(step * this.nLevels);
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.canvas.style.height = `${height}px`;
    const pen = this.canvas.getContext("2d")!;
    pen.scale(ratio, ratio);
    const style = getComputedStyle(this.element);
    const color = (name: string) => style.getPropertyValue(name);
    const fills = Array.from({ length: UNMEASURED + 1 }, (_, q) => color(`--q${q}`));
    const inks = Array.from({ length: UNMEASURED + 1 }, (_, q) => color(`--q${q}-ink`));
    fills[UNMEASURED] = color("--unmeasured");
    inks[UNMEASURED] = color("--ink");
    const size = Math.min(12, step - 3);
    pen.font = `${size}px ${FONT}`;
    pen.textBaseline = "middle";
    // Terms that lie on the same pixel are drawn once.
    const last = new Int32Array(this.nLevels).fill(-1);
    for (const term of this.inView()) {
      const [x0, x1] = [this.x(this.left[term]), this.x(this.right[term])];
      const level = this.level[term];
      if (Math.floor(x1) === last[level] && x1 - x0 < 1) continue;
      last[level] = Math.floor(x1);
      const q = stepOf(this.data.quality[term]);
      const room = Math.min(x1, width) - Math.max(x0, 0);
      const gap = room > 3 ? 1 : 0;
      pen.fillStyle = fills[q];
      pen.fillRect(Math.max(x0, 0), level * step, Math.max(room - gap, 0.5), step - 1);
      if (room > 44 && size >= 8) {
        pen.fillStyle = inks[q];
        const text = clipped(this.data.label(term), room - 8, `${size}px`);
        if (text !== "…") pen.fillText(text, Math.max(x0, 0) + 4, level * step + step / 2);
      }
    }
    if (this.selected !== null) this.outline(pen, this.selected, step, color("--ink"));
  }

  /** A frame around a term, wide enough to be seen where the term is not. */
  private outline(pen: CanvasRenderingContext2D, term: Term, step: number, color: string): void {
    const [from, to] = [this.x(this.left[term]), this.x(this.right[term])];
    const x0 = Math.max(1, Math.min(from, (from + to) / 2 - 5));
    const x1 = Math.min(this.drawnWidth - 1, Math.max(to - 1, (from + to) / 2 + 5));
    pen.strokeStyle = color;
    pen.lineWidth = 2.5;
    pen.strokeRect(x0, this.level[term] * step + 1, x1 - x0, step - 3);
  }

  private levelHeight = (): number => Math.max(6, Math.min(20, MOST_HEIGHT / this.nLevels));
  private x = (share: number): number =>
    ((share - this.shown[0]) / (this.shown[1] - this.shown[0])) * this.drawnWidth;

  /** The terms that the shown part holds, from left to right at every level. */
  private *inView(): Generator<Term> {
    const [from, to] = this.shown;
    const stack: Term[] = [];
    const push = (terms: Term[]) => {
      for (let at = terms.length - 1; at >= 0; at--) stack.push(terms[at]);
    };
    push(this.top);
    while (stack.length) {
      const term = stack.pop()!;
      if (this.right[term] <= from || this.left[term] >= to) continue;
      yield term;
      if (this.x(this.right[term]) - this.x(this.left[term]) > 0.3) push(this.below[term]);
    }
  }

  private termAt(event: MouseEvent): Term | null {
    const box = this.canvas.getBoundingClientRect();
    const level = Math.floor((event.clientY - box.top) / this.levelHeight());
    const x = event.clientX - box.left;
    let terms = this.top;
    for (let at = 0; ; at++) {
      const term = terms.find((one) => this.x(this.left[one]) <= x && x <= this.x(this.right[one]));
      if (term === undefined || at === level) return term ?? null;
      terms = this.below[term];
    }
  }

  private showTip(event: PointerEvent): void {
    const term = this.termAt(event);
    this.tip.hidden = term === null;
    if (term === null) return;
    const branch = this.data.branch(term);
    const mean = branch.terms > 1 ? `, mean of its ${branch.measured} measured terms ${fixed(branch.quality, 3)}` : "";
    this.tip.textContent = `${this.data.label(term)}: quality ${fixed(this.data.quality[term], 3)}${mean}`;
    const box = this.element.getBoundingClientRect();
    const x = Math.min(event.clientX - box.left, box.width - 240);
    this.tip.style.left = `${Math.max(0, x)}px`;
    this.tip.style.top = `${event.clientY - box.top + 18}px`;
  }
}
