// Elements from data. Data become text nodes and attributes, never markup.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | EventListener>;

const SVG = "http://www.w3.org/2000/svg";

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === "number" ? String(child) : child);
  }
  return element;
}

/** An HTML element; `onclick: f` listens, other attributes are set. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, tag) as SVGElementTagNameMap[K], attributes, children);
}

/** A name of the user's, which may run from right to left, apart from what is around it. */
export const named = (text: string): HTMLElement => h("bdi", {}, text);

export const button = (label: string, act: () => void, attributes: Attributes = {}) =>
  h("button", { type: "button", onclick: () => act(), ...attributes }, label);

const widths = new Map<string, number>();
let pen: CanvasRenderingContext2D | null = null;

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif';

function widthOf(text: string, font: string): number {
  const key = `${font}|${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    pen ??= document.createElement("canvas").getContext("2d")!;
    pen.font = `${font} ${FONT}`;
    width = pen.measureText(text).width;
    if (widths.size > 20000) widths.clear();
    widths.set(key, width);
  }
  return width;
}

/** The text in at most two lines, the second clipped. */
export function inTwoLines(text: string, room: number, font: string): string[] {
  if (text.length < 400 && widthOf(text, font) <= room) return [text];
  const words = text.slice(0, 400).split(" ");
  let first = 0;
  while (first < words.length && widthOf(words.slice(0, first + 1).join(" "), font) <= room) first++;
  // One word that is longer than a line is clipped in the first.
  if (!first) return [clipped(text, room, font)];
  return [words.slice(0, first).join(" "), clipped(text.slice(words.slice(0, first).join(" ").length + 1), room, font)];
}

/** The text, or as much of it as fits and an ellipsis. `font` is like "600 13px". */
export function clipped(text: string, room: number, font: string): string {
  if (text.length < 400 && widthOf(text, font) <= room) return text;
  const letters = Array.from(text.slice(0, 400));
  let low = 0;
  let high = letters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(letters.slice(0, middle).join("") + "…", font) <= room) low = middle;
    else high = middle - 1;
  }
  return letters.slice(0, low).join("").trimEnd() + "…";
}
