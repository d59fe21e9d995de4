// The terms of one row, as a small graph under all their parents.

import { Graph, layout } from "@dagrejs/dagre";
import { select } from "d3-selection";
import { curveBasis, line } from "d3-shape";
import { zoom, zoomIdentity } from "d3-zoom";

import type { Data } from "./data";
import { button, h, inTwoLines, s } from "./dom";
import { chance } from "./format";
import { rowHash } from "./links";
import type { Row, Term } from "./payload";
import { STANDINGS, type Cell } from "./standing";

/** So many terms are drawn, and fewer where they would have to be too small to be read. */
const MOST = 36;
const MOST_IN_OUTLINE = 16;
const FEWEST = 8;
const ENOUGH = 10;
const READABLE = 0.8;
/** Narrower screens have an outline. */
const NARROW = 620;
const MOST_HEIGHT = 540;
const MARGIN = 10;
const INDENT = 14;
/** How far down a box its bar lies. */
const BAR = 44;
const [WIDTH, HEIGHT] = [168, 58];

interface Point {
  x: number;
  y: number;
}

/** Where boxes have their middles, how wide they are, and the lines between them. */
interface Drawing {
  cells: Cell[];
  at: Map<Term, Point>;
  boxWidth: number;
  lines: string[];
  width: number;
  height: number;
}

/** Those that matter, and all above them: what is predicted, known or denied, then the rest. */
function chosenCells(data: Data, cells: Cell[], also: Term | undefined, most: number): Cell[] {
  const byTerm = new Map(cells.map((cell) => [cell.term, cell]));
  const taken = new Set<Term>();
  const take = (term: Term, most: number) => {
    const wanted = data.ancestors([term], true).filter((one) => byTerm.has(one) && !taken.has(one));
    if (taken.size + wanted.length <= most) for (const one of wanted) taken.add(one);
  };
  if (also !== undefined && byTerm.has(also)) take(also, Infinity);
  const matters = cells.filter((cell) => cell.standing !== "below");
  for (const cell of matters) take(cell.term, most);
  for (const cell of cells) if (taken.size < Math.min(ENOUGH, most)) take(cell.term, Math.min(ENOUGH + 2, most));
  return cells.filter((cell) => taken.has(cell.term));
}

export function rowDiagram(data: Data, row: Row, cells: Cell[], chosen: Term | undefined): { element: HTMLElement; shown: Cell[] } {
  const room = document.getElementById("main")!.clientWidth - 2 * MARGIN - 2;
  const isNarrow = room < NARROW;
  const drawing = isNarrow ? outline(data, chosenCells(data, cells, chosen, MOST_IN_OUTLINE), room) : readable(data, cells, chosen, room);
  const picture = s("g", {});
  for (const d of drawing.lines) picture.append(s("path", { class: "edge", d }));
  for (const cell of drawing.cells) {
    const { x, y } = drawing.at.get(cell.term)!;
    const node = box(data, row, cell, drawing.boxWidth, cell.term === chosen);
    node.setAttribute("transform", `translate(${x - drawing.boxWidth / 2},${y - HEIGHT / 2})`);
    picture.append(node);
  }
  const svg = s("svg", { class: "subgraph", role: "group", "aria-label": "Terms of this row" }, picture);
  const { element, fit } = isNarrow ? still(svg, drawing) : movable(svg, picture, drawing, room);
  fit();
  return { element, shown: drawing.cells };
}

/** As many terms as can be read without moving the picture. */
function readable(data: Data, cells: Cell[], chosen: Term | undefined, room: number): Drawing {
  for (let most = MOST; ; most = Math.floor(0.8 * most)) {
    const drawing = graphOf(data, chosenCells(data, cells, chosen, most));
    if (most <= FEWEST || scaleOf(drawing, room) >= READABLE) return drawing;
  }
}

const scaleOf = ({ width, height }: Drawing, room: number): number =>
  Math.min(1, room / width, (MOST_HEIGHT - 2 * MARGIN) / height);

function graphOf(data: Data, cells: Cell[]): Drawing {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 9, ranksep: 30 });
  graph.setDefaultEdgeLabel(() => ({}));
  const inside = new Set(cells.map(({ term }) => term));
  for (const { term } of cells) graph.setNode(String(term), { width: WIDTH, height: HEIGHT });
  for (const { term } of cells) {
    for (const parent of data.terms.parents[term]) {
      if (inside.has(parent)) graph.setEdge(String(parent), String(term));
    }
  }
  if (cells.length) layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const path = line<Point>((p) => p.x, (p) => p.y).curve(curveBasis);
  const lines = graph.edges().map((edge) => {
    const points = graph.edge(edge).points as Point[];
    const [from, to] = [edge.v, edge.w].map((name) => graph.node(name) as Point);
    // From the right side of a box to the left side of another, around what lies between.
    points[0] = { x: from.x + WIDTH / 2, y: from.y };
    points[points.length - 1] = { x: to.x - WIDTH / 2, y: to.y };
    return path(points)!;
  });
  const at = new Map(cells.map(({ term }) => [term, graph.node(String(term)) as Point]));
  return { cells, at, boxWidth: WIDTH, lines, width, height };
}

/** A term per line, each under its first parent. */
function outline(data: Data, cells: Cell[], room: number): Drawing {
  const inside = new Set(cells.map(({ term }) => term));
  const parentOf = (term: Term) => data.terms.parents[term].find((parent) => inside.has(parent));
  const levels = new Map<Term, number>();
  const order: Term[] = [];
  const walk = (parent: Term | undefined, level: number) => {
    for (const { term } of cells) {
      if (parentOf(term) !== parent) continue;
      levels.set(term, level);
      order.push(term);
      walk(term, level + 1);
    }
  };
  walk(undefined, 0);
  const boxWidth = room - INDENT * Math.max(0, ...levels.values());
  const at = new Map(order.map((term, place) => [term, { x: INDENT * levels.get(term)! + boxWidth / 2, y: (HEIGHT + 8) * place + HEIGHT / 2 }]));
  const lines = order.flatMap((term) => {
    const parent = parentOf(term);
    if (parent === undefined) return [];
    const [from, to] = [at.get(parent)!, at.get(term)!];
    const x = from.x - boxWidth / 2 + INDENT / 2;
    return [`M${x},${from.y + HEIGHT / 2}V${to.y}H${to.x - boxWidth / 2}`];
  });
  return { cells, at, boxWidth, lines, width: room, height: (HEIGHT + 8) * order.length };
}

function still(svg: SVGSVGElement, { width, height }: Drawing): { element: HTMLElement; fit: () => void } {
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) svg.setAttribute(name, String(value));
  return { element: h("div", { class: "subgraph-box" }, svg), fit: () => undefined };
}

/** The picture in a frame where it can be moved and zoomed. */
function movable(svg: SVGSVGElement, picture: SVGGElement, drawing: Drawing, room: number): { element: HTMLElement; fit: () => void } {
  const selection = select(svg);
  const height = scaleOf(drawing, room) * drawing.height + 2 * MARGIN;
  svg.setAttribute("height", String(height));
  svg.setAttribute("width", "100%");
  let width = room + 2 * MARGIN;
  const behavior = zoom<SVGSVGElement, unknown>()
    .scaleExtent([0.2, 2])
    .extent(() => [
      [0, 0],
      [width, height],
    ])
    .filter((event: WheelEvent | MouseEvent) => (event.type === "wheel" ? event.ctrlKey || event.metaKey : !(event as MouseEvent).button))
    .on("zoom", ({ transform }) => picture.setAttribute("transform", String(transform)));
  selection.call(behavior).on("dblclick.zoom", null);
  const fit = () => {
    const k = scaleOf(drawing, width - 2 * MARGIN);
    const left = Math.max(MARGIN, (width - k * drawing.width) / 2);
    selection.call(behavior.transform, zoomIdentity.translate(left, (height - k * drawing.height) / 2).scale(k));
  };
  const controls = h(
    "div",
    { class: "tree-controls" },
    button("+", () => selection.call(behavior.scaleBy, 1.3), { "aria-label": "Zoom in" }),
    button("−", () => selection.call(behavior.scaleBy, 1 / 1.3), { "aria-label": "Zoom out" }),
    button("Fit", fit),
    h("small", {}, "Drag to move."),
  );
  new ResizeObserver(([entry]) => {
    if (!entry.contentRect.width || entry.contentRect.width === width) return;
    width = entry.contentRect.width;
    fit();
  }).observe(svg);
  return { element: h("div", { class: "subgraph-box movable" }, controls, svg), fit };
}

function box(data: Data, row: Row, cell: Cell, width: number, isChosen: boolean): SVGAElement {
  const { glyph, name, help } = STANDINGS[cell.standing];
  const label = data.label(cell.term);
  const text = cell.probability === null ? "not on this page" : chance(cell.probability);
  const threshold = data.terms.threshold[cell.term];
  const link = s("a", {
    href: rowHash(data, row, cell.term),
    class: `cell ${cell.standing}${isChosen ? " chosen" : ""}`,
    "aria-label": `${label}: probability ${text}, ${name}`,
    "aria-current": isChosen ? "true" : null,
  });
  link.append(
    s("title", {}, `${label}\nprobability ${text}; ${help}`),
    s("rect", { class: "box", width: width, height: HEIGHT, rx: 7 }),
  );
  // Known before: a second line inside the first.
  if (cell.standing === "known" || cell.standing === "doubted") {
    link.append(s("rect", { class: "inner", x: 3, y: 3, width: width - 6, height: HEIGHT - 6, rx: 5 }));
  }
  const room = width - 66;
  link.append(
    s("text", { class: "glyph", x: 16, y: 19, "text-anchor": "middle" }, glyph),
    ...inTwoLines(label, width - 38, "600 12.5px").map((part, line) =>
      s("text", { class: "name", x: 30, y: 18 + 15 * line }, part),
    ),
    s("rect", { class: "rail", x: 12, y: BAR, width: room, height: 6, rx: 3 }),
    s("rect", { class: "level", x: 12, y: BAR, width: room * (cell.probability ?? 0), height: 6, rx: 3 }),
    s("text", { class: "facts", x: width - 10, y: BAR + 7, "text-anchor": "end" }, cell.probability === null ? "–" : text),
  );
  const x = 12 + room * Math.min(1, threshold);
  link.append(s("path", { class: "threshold", d: `M${x},${BAR - 3}v12` }));
  return link;
}
