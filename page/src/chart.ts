// Curves on two axes from 0 to 1, with a legend that brings out one of them.

import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { line } from "d3-shape";

import { button, h, named, s } from "./dom";
import { fixed } from "./format";

export interface Curve {
  label: string;
  x: number[];
  y: number[];
  /** The sizes of its marks; without them there are none. */
  count?: number[];
  /** Beside the label in the legend. */
  note?: string;
}

export interface ChartOptions {
  id: string;
  title: string;
  x: string;
  y: string;
  curves: Curve[];
  note: string;
  /** Whether there is a line where x and y are equal. */
  hasDiagonal?: boolean;
}

const [WIDTH, HEIGHT] = [460, 340];
const MARGIN = { top: 10, right: 12, bottom: 42, left: 46 };
const N_COLORS = 8;

export function chart(options: ChartOptions): HTMLElement {
  const x = scaleLinear([0, 1], [MARGIN.left, WIDTH - MARGIN.right]);
  const y = scaleLinear([0, 1], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const picture = s("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: "img",
    "aria-label": `${options.title}: ${options.curves.map((c) => `${c.label} ${c.note ?? ""}`).join("; ")}`,
    class: "chart",
  });
  const bottom = s("g", { class: "axis", transform: `translate(0,${HEIGHT - MARGIN.bottom})` });
  const left = s("g", { class: "axis grid", transform: `translate(${MARGIN.left},0)` });
  select(bottom).call(axisBottom(x).ticks(5).tickSizeOuter(0));
  select(left).call(axisLeft(y).ticks(5).tickSize(MARGIN.left + MARGIN.right - WIDTH));
  picture.append(left, bottom);
  const middle = (MARGIN.top + HEIGHT - MARGIN.bottom) / 2;
  picture.append(
    s("text", { class: "axis-name", x: (x(0) + x(1)) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, options.x),
    s(
      "text",
      { class: "axis-name", transform: `translate(12,${middle}) rotate(-90)`, "text-anchor": "middle" },
      options.y,
    ),
  );
  if (options.hasDiagonal) {
    picture.append(s("path", { class: "diagonal", d: `M${x(0)},${y(0)}L${x(1)},${y(1)}` }));
  }
  const path = line<number>();
  const groups = options.curves.map((curve, place) => {
    const d = path.x((i) => x(curve.x[i])).y((i) => y(curve.y[i]))([...curve.x.keys()]);
    const group = s("g", { class: `curve ${lookOf(place)}` }, s("path", { d }));
    const most = Math.max(...(curve.count ?? []));
    curve.count?.forEach((n, i) => {
      const r = 1.5 + 4.5 * Math.sqrt(n / most);
      const tip = `${curve.label}: predicted ${fixed(curve.x[i])}, observed ${fixed(curve.y[i])}, ${n} pairs`;
      group.append(s("circle", { cx: x(curve.x[i]), cy: y(curve.y[i]), r }, s("title", {}, tip)));
    });
    return group;
  });
  // The first, of all terms, lies on top.
  picture.append(...groups.reverse());
  groups.reverse();

  const { keys, bringOut } = legendOf(options.curves, groups);
  if (groups.length > 4) bringOut(0);
  const note = h("p", { class: "note" }, options.note);
  return h(
    "figure",
    { class: "figure", id: options.id },
    h("h3", {}, options.title),
    picture,
    note,
    keys,
  );
}

const lookOf = (place: number): string =>
  place === 0 ? "look-all" : `look-${(place - 1) % N_COLORS} dash-${Math.floor((place - 1) / N_COLORS) % 3}`;

function legendOf(curves: Curve[], groups: SVGGElement[]) {
  const chosen = new Set<number>();
  const update = () => {
    groups.forEach((group, place) => {
      group.classList.toggle("faded", chosen.size > 0 && !chosen.has(place));
      keys[place].setAttribute("aria-pressed", String(chosen.has(place)));
    });
  };
  const toggle = (place: number) => {
    if (!chosen.delete(place)) chosen.add(place);
    update();
  };
  const keys = curves.map((curve, place) => {
    const key = button("", () => toggle(place), { "aria-pressed": "false" });
    const sample = s("svg", { class: "key", viewBox: "0 0 28 10", "aria-hidden": "true" });
    sample.append(s("g", { class: `curve ${lookOf(place)}` }, s("path", { d: "M0,5L28,5" })));
    key.append(sample, named(curve.label), h("small", {}, curve.note ?? ""));
    return key;
  });
  const element = h("div", { class: "legend keys", role: "group", "aria-label": "Highlight curves" }, ...keys);
  return { keys: element, bringOut: toggle };
}
