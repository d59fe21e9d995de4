// The hierarchy as a tree that one can walk: only what is open and in view is drawn.

import { hierarchy, tree as tidyTree, type HierarchyPointNode } from "d3-hierarchy";
import { select, type Selection } from "d3-selection";
import { linkHorizontal } from "d3-shape";
import { zoom, zoomIdentity, type ZoomBehavior, type ZoomTransform } from "d3-zoom";

import type { Data } from "./data";
import { button, clipped, h, s } from "./dom";
import { count, counted, fixed } from "./format";
import type { Term } from "./payload";
import { stepClass, UNMEASURED } from "./quality";

/** So many children of a term are shown at once, those with most rows first. */
const FEW = 12;
const [BOX_WIDTH, BOX_HEIGHT, GAP_X, GAP_Y] = [246, 40, 44, 7];
const INDENT = 26;
const NARROW = 620;
/** Boxes are not drawn smaller than this to show the way to a term. */
const READABLE = 0.7;

/** A term, or the children of a term that are not shown yet. */
interface Item {
  key: string;
  term: Term;
  more: number;
  place: number;
  siblings: number;
}

type Placed = HierarchyPointNode<Item>;

export class TreeView {
  readonly element: HTMLElement;
  private readonly svg = s("svg", { role: "tree", "aria-label": "Hierarchy of terms" });
  private readonly canvas = s("g", { role: "none" });
  private readonly links = s("g", { class: "links", "aria-hidden": "true" });
  private readonly boxes = s("g", { role: "none" });
  private readonly selection: Selection<SVGSVGElement, unknown, null, undefined>;
  private readonly zoom: ZoomBehavior<SVGSVGElement, unknown>;
  private readonly layoutButton = button("", () => this.turnLayout());
  private readonly open = new Set<Term>();
  private readonly limits = new Map<Term, number>();
  /** Terms that are shown even if many siblings have more rows. */
  private readonly pinned = new Set<Term>();
  private readonly drawn = new Map<string, SVGGElement>();
  /** Boxes that may say something else by now. */
  private readonly stale = new Set<string>();
  private placed: Placed[] = [];
  private byKey = new Map<string, Placed>();
  private current: string;
  private selected: Term | null = null;
  private isOutline: boolean | null = null;
  /** Whether a term was chosen in the picture, which then stays where it is. */
  private isChosenHere = false;
  private frame = 0;
  /** Of the picture, kept so that drawing need not ask for it. */
  private width = 0;
  private height = 0;

  constructor(
    private readonly data: Data,
    private readonly choose: (term: Term) => void,
  ) {
    this.openFirst();
    this.current = `${data.roots[0] ?? ""}`;
    this.canvas.append(this.links, this.boxes);
    this.svg.append(this.canvas);
    this.selection = select(this.svg);
    this.zoom = zoom<SVGSVGElement, unknown>()
      .scaleExtent([0.2, 2])
      .extent(() => [
        [0, 0],
        [this.width, this.height],
      ])
      .filter((event: WheelEvent | MouseEvent) =>
        // A wheel alone moves the picture or the page; with Ctrl, or two fingers, it zooms.
        event.type === "wheel" ? event.ctrlKey || event.metaKey : !(event as MouseEvent).button,
      )
      .on("zoom", () => this.moved());
    this.selection.call(this.zoom).on("dblclick.zoom", null);
    this.svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.svg.addEventListener("keydown", (event) => this.key(event));
    const controls = h(
      "div",
      { class: "tree-controls" },
      button("+", () => this.scale(1.3), { "aria-label": "Zoom in" }),
      button("−", () => this.scale(1 / 1.3), { "aria-label": "Zoom out" }),
      button("Fit", () => this.fit()),
      button("Collapse all", () => this.closeAll()),
      this.layoutButton,
    );
    this.element = h("div", { class: "tree" }, controls, this.svg);
    new ResizeObserver(([entry]) => {
      const { width, height } = entry.contentRect;
      if (!width || (width === this.width && height === this.height)) return;
      const isFirst = this.width === 0;
      [this.width, this.height] = [width, height];
      this.update();
      if (isFirst) this.home();
      else this.bringIntoView(this.current);
    }).observe(this.svg);
  }

  // What is open ---------------------------------------------------------------------

  /** Selects a term and opens what is above it. */
  select(term: Term | null): void {
    const before = this.selected;
    this.selected = term;
    if (term === null) return before === null ? this.update() : this.closeAll();
    for (const above of this.path(term)) {
      if (above !== term) this.open.add(above);
      this.pinned.add(above);
    }
    this.current = String(term);
    this.updateAround(this.current);
    if (!this.isChosenHere && this.showWay(term)) return;
    this.bringChildrenIntoView(this.current);
    this.bringIntoView(this.current);
  }

  /** Shows a term, what is open below it and as much of the way to it as can be read. */
  private showWay(term: Term): boolean {
    if (this.outline) return false;
    const way = this.path(term).map((above) => this.byKey.get(String(above))!);
    const here = way[way.length - 1];
    for (let from = 0; from < way.length; from++) {
      const [x0, , x1] = this.extent([...way.slice(from), ...(here.children ?? [])]);
      const k = Math.min(1, (this.width - 24) / (x1 - x0));
      if (k < READABLE) continue;
      // Beside the term, as much of its columns as there is room for.
      const [, y0, , y1] = this.extent(this.placed.filter((node) => node.y >= x0 && node.y < x1));
      const [first, last] = [12 - k * y0, this.height - 12 - k * y1];
      const y = first <= last ? (first + last) / 2 : Math.min(first, Math.max(last, this.height / 2 - k * here.x));
      this.moveTo(k, 12 - k * x0, y);
      return true;
    }
    return false;
  }

  /** From the top of the tree to the term, first parents only. */
  private path(term: Term): Term[] {
    const steps: Term[] = [];
    for (let at: Term | null = term; at !== null; at = this.data.treeParent(at)) steps.unshift(at);
    return steps;
  }

  private toggle(term: Term, open = !this.open.has(term)): void {
    if (open) this.open.add(term);
    else this.open.delete(term);
    this.updateAround(String(term));
    if (open) this.bringChildrenIntoView(String(term));
  }

  private showMore(item: Item): void {
    this.limits.set(item.term, (this.limits.get(item.term) ?? FEW) + 4 * FEW);
    const before = this.byKey.get(item.key)!;
    const first = this.data.treeChildren[item.term].find((term) => !this.byKey.has(String(term)))!;
    this.current = String(first);
    const at = this.screen(before);
    this.update();
    this.keepAt(this.current, at);
    this.takeFocus();
  }

  private closeAll(): void {
    this.open.clear();
    this.limits.clear();
    this.pinned.clear();
    this.openFirst();
    this.current = `${this.data.roots[0] ?? ""}`;
    this.update();
    this.home();
  }

  /** The way down through the terms with most rows, until there are some to see. */
  private openFirst(): void {
    let [terms, seen] = [this.data.roots, this.data.roots.length];
    while (terms.length && seen < FEW) {
      this.open.add(terms[0]);
      terms = this.data.treeChildren[terms[0]];
      seen += Math.min(terms.length, FEW);
    }
  }

  private itemsBelow(item: Item): Item[] | null {
    const isTop = item.key === "";
    if (!isTop && (item.more || !this.open.has(item.term))) return null;
    const all = isTop ? this.data.roots : this.data.treeChildren[item.term];
    const limit = this.limits.get(item.term) ?? FEW;
    const few = all.length <= limit + 3 ? all : all.filter((term, place) => place < limit || this.pinned.has(term));
    const items = few.map((term, at) => ({ key: String(term), term, more: 0, place: at + 1, siblings: all.length }));
    const more = all.length - few.length;
    if (more) {
      const place = few.length + 1;
      items.push({ key: `more-${item.term}`, term: item.term, more, place, siblings: all.length });
    }
    return items.length ? items : null;
  }

  // Where it lies ----------------------------------------------------------------------

  private get outline(): boolean {
    return this.isOutline ?? this.width < NARROW;
  }
  private get boxWidth(): number {
    return this.outline ? Math.min(340, Math.max(230, this.width - 90)) : BOX_WIDTH;
  }

  private turnLayout(): void {
    this.isOutline = !this.outline;
    this.update();
    this.home();
    this.bringIntoView(this.current);
  }

  private layOut(): void {
    const top: Item = { key: "", term: -1, more: 0, place: 1, siblings: 1 };
    const nodes = hierarchy(top, (item) => this.itemsBelow(item));
    const step = BOX_HEIGHT + GAP_Y;
    const laid = tidyTree<Item>()
      .nodeSize([step, BOX_WIDTH + GAP_X])
      .separation((a, b) => (a.parent === b.parent ? 1 : 1.25))(nodes);
    let line = 0;
    this.placed = [];
    laid.eachBefore((node) => {
      if (node.data.key === "") return;
      if (this.outline) {
        node.x = step * line++;
        node.y = INDENT * (node.depth - 1);
      } else node.y = (BOX_WIDTH + GAP_X) * (node.depth - 1);
      this.placed.push(node);
    });
    this.byKey = new Map(this.placed.map((node) => [node.data.key, node]));
    if (!this.byKey.has(this.current)) this.current = this.placed[0]?.data.key ?? "";
    this.layoutButton.textContent = this.outline ? "As a diagram" : "As an outline";
  }

  private get transform(): ZoomTransform {
    return (this.svg as SVGSVGElement & { __zoom?: ZoomTransform }).__zoom ?? zoomIdentity;
  }

  private screen(node: Placed): [number, number] {
    return this.transform.apply([node.y, node.x]);
  }

  /** Moves the picture so that a box is at a point of the screen. */
  private keepAt(key: string, [x, y]: [number, number]): void {
    const node = this.byKey.get(key);
    if (!node) return;
    const [nowX, nowY] = this.screen(node);
    this.pan(x - nowX, y - nowY);
  }

  private pan(dx: number, dy: number): void {
    const { k } = this.transform;
    if (dx || dy) this.selection.call(this.zoom.translateBy, dx / k, dy / k);
  }

  private scale(factor: number): void {
    this.selection.call(this.zoom.scaleBy, factor);
  }

  private extent(nodes = this.placed): [number, number, number, number] {
    const xs = nodes.map((node) => node.y);
    const ys = nodes.map((node) => node.x);
    const bound = (list: number[], f: (a: number, b: number) => number) => list.reduce((a, b) => f(a, b), list[0] ?? 0);
    return [
      bound(xs, Math.min),
      bound(ys, Math.min) - BOX_HEIGHT / 2,
      bound(xs, Math.max) + this.boxWidth,
      bound(ys, Math.max) + BOX_HEIGHT / 2,
    ];
  }

  private fit(): void {
    const [x0, y0, x1, y1] = this.extent();
    const { width, height } = this;
    const k = Math.max(0.2, Math.min(1, (width - 24) / (x1 - x0), (height - 24) / (y1 - y0)));
    this.moveTo(k, 12 - k * x0, (height - k * (y0 + y1)) / 2);
  }

  private moveTo(k: number, x: number, y: number): void {
    this.selection.call(this.zoom.transform, zoomIdentity.translate(x, y).scale(k));
  }

  /** The first look: its top on the left, and as much below as can be read. */
  private home(): void {
    const [x0, y0, x1, y1] = this.extent();
    const { width, height } = this;
    const first = this.placed[0];
    if (!first) return;
    const k = Math.max(0.8, Math.min(1, (width - 24) / (x1 - x0)));
    const middle = k * (y1 - y0) > height - 24 ? first.x : (y0 + y1) / 2;
    const y = this.outline ? 12 - k * y0 : height / 2 - k * middle;
    this.moveTo(k, 12 - k * x0, y);
    if (this.selected !== null && !this.showWay(this.selected)) this.bringIntoView(String(this.selected));
  }

  private bringIntoView(key: string): void {
    const node = this.byKey.get(key);
    if (!node) return;
    const { k } = this.transform;
    const [x, y] = this.screen(node);
    const { width, height } = this;
    const half = (k * BOX_HEIGHT) / 2;
    const isSeen = y > half + 4 && y < height - half - 4;
    this.pan(inside(x, k * this.boxWidth, width, 16), isSeen ? 0 : height / 2 - y);
  }

  private bringChildrenIntoView(key: string): void {
    const node = this.byKey.get(key);
    const below = node?.children;
    if (!node || !below) return;
    const { k } = this.transform;
    const { width } = this;
    const right = this.screen(below[0])[0] + k * this.boxWidth;
    // The term itself stays in view.
    const room = this.screen(node)[0] - 16;
    if (right > width - 12) this.pan(-Math.min(right - width + 12, Math.max(0, room)), 0);
  }

  private wheel(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) return;
    const [x0, y0, x1, y1] = this.extent();
    const { k, x, y } = this.transform;
    const { width, height } = this;
    const unit = event.deltaMode === 1 ? 20 : 1;
    const sideways = event.shiftKey && !event.deltaX;
    const [dx, dy] = sideways ? [event.deltaY * unit, 0] : [event.deltaX * unit, event.deltaY * unit];
    // Where there is nothing more to see, the page scrolls.
    const canX = dx > 0 ? k * x1 + x > width - 16 : dx < 0 && k * x0 + x < 16;
    const canY = dy > 0 ? k * y1 + y > height - 16 : dy < 0 && k * y0 + y < 16;
    if (!canX && !canY) return;
    event.preventDefault();
    this.pan(canX ? -dx : 0, canY ? -dy : 0);
  }

  // Drawing ----------------------------------------------------------------------------

  private updateAround(key: string): void {
    const node = this.byKey.get(key);
    const at = node ? this.screen(node) : null;
    this.update();
    if (at) this.keepAt(key, at);
  }

  private update(): void {
    this.layOut();
    for (const key of this.drawn.keys()) this.stale.add(key);
    this.draw();
  }

  private moved(): void {
    this.canvas.setAttribute("transform", this.transform.toString());
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    const { width, height } = this;
    if (!width) return;
    const [left, top] = this.transform.invert([-80, -80]);
    const [right, bottom] = this.transform.invert([width + 80, height + 80]);
    const seen = new Set<string>();
    const paths: SVGPathElement[] = [];
    const boxWidth = this.boxWidth;
    for (const node of this.placed) {
      const parent = node.parent?.data.key ? node.parent : null;
      const isLinkSeen = parent && Math.max(node.x, parent.x) > top && Math.min(node.x, parent.x) < bottom;
      if (isLinkSeen && node.y > left && parent.y < right) paths.push(this.link(parent, node));
      const isSeen = node.x > top && node.x < bottom && node.y + boxWidth > left && node.y < right;
      if (!isSeen && node.data.key !== this.current) continue;
      seen.add(node.data.key);
      const box = this.box(node);
      box.setAttribute("transform", `translate(${node.y},${node.x})`);
      box.setAttribute("tabindex", node.data.key === this.current ? "0" : "-1");
      box.setAttribute("aria-selected", String(this.isSelected(node.data)));
    }
    for (const [key, element] of this.drawn) {
      if (seen.has(key)) continue;
      element.remove();
      this.drawn.delete(key);
    }
    this.stale.clear();
    this.links.replaceChildren(...paths);
  }

  private isSelected = (item: Item): boolean => !item.more && item.term === this.selected;

  private link(parent: Placed, node: Placed): SVGPathElement {
    if (this.outline) {
      const x = parent.y + INDENT / 2;
      return s("path", { d: `M${x},${parent.x + BOX_HEIGHT / 2}V${node.x}H${node.y}` });
    }
    const d = linkHorizontal()({ source: [parent.y + this.boxWidth, parent.x], target: [node.y, node.x] });
    return s("path", { d });
  }

  /** The box of a node, made or brought up to date; one that has the focus keeps it. */
  private box(node: Placed): SVGGElement {
    const item = node.data;
    let group = this.drawn.get(item.key);
    if (group && !this.stale.has(item.key)) return group;
    if (!group) {
      group = s("g", { role: "treeitem", class: item.more ? "node more" : "node" });
      group.addEventListener("click", () => this.click(item.key));
      this.drawn.set(item.key, group);
      this.boxes.append(group);
    }
    group.setAttribute("aria-level", String(node.depth));
    group.setAttribute("aria-posinset", String(item.place));
    group.setAttribute("aria-setsize", String(item.siblings));
    const width = this.boxWidth;
    group.replaceChildren(s("rect", { class: "box", y: -BOX_HEIGHT / 2, width, height: BOX_HEIGHT, rx: 7 }));
    if (item.more) {
      const text = `${count(item.more)} more, with fewer rows`;
      group.setAttribute("aria-label", text);
      group.append(s("text", { class: "name", x: 14, y: 4 }, text));
    } else this.fillBox(group, item.term, width);
    return group;
  }

  private click(key: string): void {
    const { more, term } = this.byKey.get(key)!.data;
    if (more) return this.showMore(this.byKey.get(key)!.data);
    this.open.add(term);
    if (term === this.selected) this.select(term);
    else this.chooseHere(term);
    this.takeFocus();
  }

  private chooseHere(term: Term): void {
    this.isChosenHere = true;
    this.choose(term);
    this.isChosenHere = false;
  }

  private takeFocus(): void {
    const box = this.drawn.get(this.current);
    // Asking for the focus lays out the page, so not where it is there already.
    if (box && box !== document.activeElement) box.focus({ preventScroll: true });
  }

  private fillBox(group: SVGGElement, term: Term, width: number): void {
    const { data } = this;
    const nBelow = data.treeChildren[term].length;
    const isOpen = this.open.has(term);
    const name = data.label(term);
    const quality = data.quality[term];
    const figures = quality === null ? "not measured" : `AP ${fixed(data.terms.ap[term])}`;
    const rows = data.terms.rows[term];
    const facts = rows === null ? figures : `${figures} · ${counted(rows, "row")}`;
    const badge = nBelow ? `${isOpen ? "▾" : "▸"} ${count(nBelow)}` : "";
    group.setAttribute("aria-label", `${name}, ${facts}`);
    if (nBelow) group.setAttribute("aria-expanded", String(isOpen));
    group.append(
      s("title", {}, `${name}${data.code(term) ? `\n${data.code(term)}` : ""}`),
      s("rect", { class: `quality ${stepClass(quality)}`, x: 7, y: -13, width: 11, height: 26, rx: 3 }),
      s("text", { class: "name", x: 26, y: -3 }, clipped(name, width - 36, "600 12.5px")),
      s("text", { class: "facts", x: 26, y: 12 }, facts),
    );
    if (!nBelow) return;
    const handle = s("g", { class: "handle" });
    handle.append(
      s("rect", { x: width - 58, y: 0, width: 54, height: 18 }),
      s("text", { x: width - 9, y: 12, "text-anchor": "end" }, badge),
    );
    handle.addEventListener("click", (event) => {
      event.stopPropagation();
      this.current = String(term);
      this.toggle(term);
      this.takeFocus();
    });
    group.append(handle);
    if (!isOpen) group.append(this.strip(term, width));
  }

  /** What a closed branch holds: a bar with the share of each step of quality. */
  private strip(term: Term, width: number): SVGGElement {
    const { steps, terms } = this.data.branch(term);
    const strip = s("g", { class: "strip" });
    const room = width - 14;
    let x = 7;
    for (let step = 0; step <= UNMEASURED; step++) {
      const part = (room * steps[step]) / terms;
      if (part) strip.append(s("rect", { class: `q${step}`, x, y: BOX_HEIGHT / 2 - 4, width: part, height: 3 }));
      x += part;
    }
    return strip;
  }

  // Keys -------------------------------------------------------------------------------

  private key(event: KeyboardEvent): void {
    const node = this.byKey.get(this.current);
    if (!node || event.altKey || event.ctrlKey || event.metaKey) return;
    const item = node.data;
    const place = this.placed.indexOf(node);
    const isOpen = Boolean(node.children);
    const acts: Record<string, () => void> = {
      ArrowDown: () => this.focus(this.placed[place + 1]),
      ArrowUp: () => this.focus(this.placed[place - 1]),
      Home: () => this.focus(this.placed[0]),
      End: () => this.focus(this.placed[this.placed.length - 1]),
      ArrowRight: () => {
        if (item.more) return;
        if (isOpen) this.focus(node.children![0]);
        else if (this.data.treeChildren[item.term].length) this.toggle(item.term, true);
      },
      ArrowLeft: () => {
        if (isOpen && !item.more) this.toggle(item.term, false);
        else if (node.parent?.data.key) this.focus(node.parent);
      },
      Enter: () => (item.more ? this.showMore(item) : this.chooseHere(item.term)),
      " ": () => (item.more ? this.showMore(item) : this.chooseHere(item.term)),
    };
    const act = acts[event.key] ?? (/^\S$/.test(event.key) ? () => this.jump(event.key, place) : null);
    if (!act) return;
    event.preventDefault();
    act();
    this.takeFocus();
  }

  /** To the next term in view whose name begins with a letter. */
  private jump(letter: string, place: number): void {
    const after = [...this.placed.slice(place + 1), ...this.placed.slice(0, place)];
    const start = letter.toLowerCase();
    this.focus(after.find(({ data }) => !data.more && this.data.label(data.term).toLowerCase().startsWith(start)));
  }

  private focus(node: Placed | undefined): void {
    if (!node) return;
    this.current = node.data.key;
    this.bringIntoView(this.current);
    this.draw();
  }
}

/** How far to move something so that it lies in the room, its start before its end. */
function inside(start: number, size: number, room: number, margin: number): number {
  if (start < margin) return margin - start;
  const over = start + size - (room - margin);
  return over > 0 ? -Math.min(over, start - margin) : 0;
}
