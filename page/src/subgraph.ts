// The terms of one row, as a small graph under all their parents.

import { Graph, layout } from "@dagrejs/dagre";
import { curveBasis, line } from "d3-shape";

import type { Data } from "./data";
import { h, inTwoLines, s } from "./dom";
import { fixed } from "./format";
import { rowHash } from "./links";
import type { Row, Term } from "./payload";
import { STANDINGS, type Cell } from "./standing";

const MOST = 36;
const ENOUGH = 10;
/** How far down a box its bar lies. */
const BAR = 45;
/** Graphs that do not fit are drawn smaller, down to here, and scroll. */
const SMALLEST = 0.72;
const [WIDTH, HEIGHT] = [196, 60];

interface Point {
  x: number;
  y: number;
}

/** Those that matter, and all above them: what passes, is known or denied, then the rest. */
export function chosenCells(data: Data, cells: Cell[], also: Term | undefined): Cell[] {
  const byTerm = new Map(cells.map((cell) => [cell.term, cell]));
  const taken = new Set<Term>();
  const take = (term: Term, most: number) => {
    const wanted = data.ancestors([term], true).filter((one) => byTerm.has(one) && !taken.has(one));
    if (taken.size + wanted.length <= most) for (const one of wanted) taken.add(one);
  };
  if (also !== undefined && byTerm.has(also)) take(also, Infinity);
  const matters = cells.filter((cell) => cell.standing !== "below");
  for (const cell of matters) take(cell.term, MOST);
  for (const cell of cells) if (taken.size < ENOUGH) take(cell.term, ENOUGH + 2);
  return cells.filter((cell) => taken.has(cell.term));
}

export function subgraph(data: Data, row: Row, cells: Cell[], chosen: Term | undefined): HTMLElement {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 10, ranksep: 56, marginx: 4, marginy: 4 });
  graph.setDefaultEdgeLabel(() => ({}));
  const inside = new Set(cells.map(({ term }) => term));
  for (const { term } of cells) graph.setNode(String(term), { width: WIDTH, height: HEIGHT });
  for (const { term } of cells) {
    for (const parent of data.terms.parents[term]) {
      if (inside.has(parent)) graph.setEdge(String(parent), String(term));
    }
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const svg = s("svg", {
    class: "subgraph",
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "group",
    "aria-label": "Terms of this row",
  });
  const path = line<Point>((p) => p.x, (p) => p.y).curve(curveBasis);
  for (const edge of graph.edges()) {
    const points = graph.edge(edge).points as Point[];
    const [from, to] = [edge.v, edge.w].map((name) => graph.node(name) as Point);
    // From the right side of a box to the left side of another, around what lies between.
    points[0] = { x: from.x + WIDTH / 2, y: from.y };
    points[points.length - 1] = { x: to.x - WIDTH / 2, y: to.y };
    svg.append(s("path", { class: "edge", d: path(points) }));
  }
  for (const cell of cells) {
    const { x, y } = graph.node(String(cell.term)) as Point;
    const node = box(data, row, cell, cell.term === chosen);
    node.setAttribute("transform", `translate(${x - WIDTH / 2},${y - HEIGHT / 2})`);
    svg.append(node);
  }
  const region = h("div", { class: "subgraph-box scroll", tabindex: 0, role: "region", "aria-label": "Graph of the terms of this row" }, svg);
  const at = chosen === undefined ? undefined : (graph.node(String(chosen)) as Point | undefined);
  // Once it is on the page, and has a size.
  requestAnimationFrame(() => {
    const k = Math.max(SMALLEST, Math.min(1, (region.clientWidth - 20) / width));
    svg.setAttribute("width", String(k * width));
    svg.setAttribute("height", String(k * height));
    if (at) region.scrollTo(k * at.x - region.clientWidth / 2, k * at.y - region.clientHeight / 2);
  });
  return region;
}

function box(data: Data, row: Row, cell: Cell, isChosen: boolean): SVGAElement {
  const { glyph, name, help } = STANDINGS[cell.standing];
  const label = data.label(cell.term);
  const text = cell.probability === null ? "not predicted" : fixed(cell.probability);
  const threshold = data.terms.threshold[cell.term];
  const link = s("a", {
    href: rowHash(data, row, cell.term),
    class: `cell ${cell.standing}${isChosen ? " chosen" : ""}`,
    "aria-label": `${label}: probability ${text}, ${name}`,
    "aria-current": isChosen ? "true" : null,
  });
  link.append(
    s("title", {}, `${label}\nprobability ${text}; ${help}`),
    s("rect", { class: "box", width: WIDTH, height: HEIGHT, rx: 7 }),
  );
  // Known before: a second line inside the first.
  if (cell.standing === "known" || cell.standing === "doubted") {
    link.append(s("rect", { class: "inner", x: 3, y: 3, width: WIDTH - 6, height: HEIGHT - 6, rx: 5 }));
  }
  const room = WIDTH - 60;
  link.append(
    s("text", { class: "glyph", x: 16, y: 19, "text-anchor": "middle" }, glyph),
    ...inTwoLines(label, WIDTH - 38, "600 12.5px").map((part, line) =>
      s("text", { class: "name", x: 30, y: 18 + 15 * line }, part),
    ),
    s("rect", { class: "rail", x: 12, y: BAR, width: room, height: 6, rx: 3 }),
    s("rect", { class: "level", x: 12, y: BAR, width: room * (cell.probability ?? 0), height: 6, rx: 3 }),
    s("text", { class: "facts", x: WIDTH - 10, y: BAR + 7, "text-anchor": "end" }, cell.probability === null ? "–" : text),
  );
  if (threshold !== null) {
    const x = 12 + room * Math.min(1, threshold);
    link.append(s("path", { class: "threshold", d: `M${x},${BAR - 3}v12` }));
  }
  return link;
}
