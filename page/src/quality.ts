// How good a term is, in steps that have a colour each.

import { h } from "./dom";
import type { Missing } from "./payload";

/** The step 0 holds what is at most 0: no better than the term's frequency, or worse. */
const EDGES = [0, 0.1, 0.25, 0.5];
export const STEP_NAMES = [
  "at 0 or less (no better than the frequency)",
  "up to 0.1",
  "from 0.1 to 0.25",
  "from 0.25 to 0.5",
  "above 0.5",
];
export const UNMEASURED = STEP_NAMES.length;

/** The average precision above the frequency, as a share of what is possible. */
export function qualityOf(ap: Missing<number>, frequency: Missing<number>): Missing<number> {
  if (ap === null || frequency === null) return null;
  return frequency >= 1 ? null : (ap - frequency) / (1 - frequency);
}

export function stepOf(quality: Missing<number>): number {
  if (quality === null) return UNMEASURED;
  const step = EDGES.findIndex((edge) => quality <= edge);
  return step < 0 ? EDGES.length : step;
}

/** How the rows came by scores that the quality is measured on. */
export const measuredBy = (where: string): string => (where === "out of fold" ? "by cross-validation (out of fold)" : where);

export const stepClass = (quality: Missing<number>): string => `q${stepOf(quality)}`;

export const swatch = (quality: Missing<number>): HTMLElement =>
  h("i", { class: `swatch ${stepClass(quality)}`, "aria-hidden": "true" });

export function legend(): HTMLElement {
  const steps = [...STEP_NAMES, "not measured"].map((name, step) =>
    h("span", {}, h("i", { class: `swatch q${step}` }), name),
  );
  return h("div", { class: "legend", role: "group", "aria-label": "Colours of quality" }, ...steps);
}

/** A bar of how many terms of a branch are in each step. */
export function stepBar(counts: ArrayLike<number>): HTMLElement {
  const bar = h("span", { class: "step-bar", "aria-hidden": "true" });
  for (let step = 0; step <= UNMEASURED; step++) {
    if (!counts[step]) continue;
    const part = h("i", { class: `q${step}` });
    part.style.flexGrow = String(counts[step]);
    bar.append(part);
  }
  return bar;
}
