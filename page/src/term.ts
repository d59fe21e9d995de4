// What there is to know of one term.

import type { Data } from "./data";
import { button, h, named } from "./dom";
import { chance, count, counted, fixed, percent, sentence } from "./format";
import { rowLink, termLink } from "./links";
import type { Term } from "./payload";
import { measuredBy, stepBar, swatch } from "./quality";

const FEW = 12;

export function termPanel(data: Data, term: Term): HTMLElement {
  const { terms } = data;
  return h(
    "article",
    { class: "panel", tabindex: 0, "aria-label": `Term ${data.label(term)}` },
    h("h2", { class: "long-name" }, named(data.label(term))),
    h("p", { class: "codes" }, named(data.code(term)), terms.aspect?.[term] ? h("span", {}, terms.aspect[term]) : null),
    figures(data, term),
    linkList(data, "Parents", terms.parents[term]),
    linkList(data, "All ancestors", data.ancestors([term])),
    linkList(data, "Children", data.children[term]),
    branch(data, term),
    features(data, term),
    rows(data, term),
  );
}

function figures(data: Data, term: Term): HTMLElement {
  const { terms } = data;
  const quality = data.quality[term];
  const ap = terms.ap[term];
  const judgement =
    quality === null
      ? "not measured"
      : quality > 0
        ? `${fixed(quality, 3)} (0 is the frequency, 1 is perfect)`
        : `${fixed(quality, 3)}, ${quality < 0 ? "worse than" : "no better than"} the frequency`;
  const entries: [string, Node | string][] = [
    ["quality", h("span", { class: "with-mark" }, swatch(quality), judgement)],
    ["average precision", ap === null ? "not measured" : beside(ap, terms.frequency[term])],
    ["rows with the term", `${count(terms.rows[term])} (${percent(terms.frequency[term])})`],
    ["calibration error", fixed(terms.calibration_error[term], 3)],
    ["threshold", thresholdOf(data, term)],
    ["precision, recall", `${percent(terms.precision[term], 0)}, ${percent(terms.recall[term], 0)} (at its threshold)`],
  ];
  const list = h("dl", { class: "facts" });
  for (const [label, value] of entries) list.append(h("dt", {}, label), h("dd", {}, value));
  const measured = data.payload.measured_on;
  return h(
    "div",
    {},
    list,
    ap !== null && measured ? h("p", { class: "note" }, `Measured ${measuredBy(measured)}.`) : null,
    terms.reliable[term] === false
      ? h("p", { class: "note caution" }, "The model does not predict this term better than by chance, so these values may be due to chance.")
      : null,
  );
}

/** The threshold, and whether it is the term's own. */
function thresholdOf(data: Data, term: Term): string {
  const threshold = data.terms.threshold[term];
  if (data.terms.is_uninformative[term]) return "none: nearly all rows have this term";
  const overall = data.payload.overall_threshold;
  if (data.terms.threshold.every((one) => one === threshold)) return `${chance(threshold)}, as for all terms`;
  return threshold === overall
    ? `${chance(threshold)}, shared by all terms with too few rows for their own`
    : `${chance(threshold)}, its own, chosen on its rows (${chance(overall)} for terms with few rows)`;
}

/** Average precision beside the frequency, which a guess would reach. */
function beside(ap: number, frequency: number | null): HTMLElement {
  const filled = h("i", { class: "model" });
  filled.style.width = `${100 * Math.min(1, Math.max(0, ap))}%`;
  const tick = h("i", { class: "tick" });
  tick.style.left = `${100 * (frequency ?? 0)}%`;
  return h(
    "span",
    { class: "beside" },
    h("strong", {}, fixed(ap, 3)),
    h("b", { class: "track", title: "bar: average precision; line: frequency" }, filled, tick),
    h("small", {}, `frequency ${percent(frequency)}`),
  );
}

function linkList(data: Data, title: string, terms: Term[]): HTMLElement | null {
  if (!terms.length) return null;
  const list = h("ul", { class: "links-list" });
  const item = (term: Term) => h("li", {}, swatch(data.quality[term]), termLink(data, term));
  list.append(...terms.slice(0, FEW).map(item));
  if (terms.length > FEW) {
    const rest = button(`${count(terms.length - FEW)} more`, () => {
      last.remove();
      list.append(...terms.slice(FEW).map(item));
    });
    const last = h("li", {}, rest);
    list.append(last);
  }
  const number = terms.length > 1 ? ` (${count(terms.length)})` : "";
  return h("section", {}, h("h3", {}, title + number), list);
}

function branch(data: Data, term: Term): HTMLElement | null {
  const all = data.branch(term);
  if (all.terms < 2) return null;
  const mean = all.quality === null ? "" : `, mean quality ${fixed(all.quality, 3)}`;
  return h(
    "section",
    {},
    h("h3", {}, "Its branch"),
    stepBar(all.steps),
    h("p", { class: "note" }, `${counted(all.terms, "term")}, ${count(all.measured)} measured${mean}.`),
  );
}

function features(data: Data, term: Term): HTMLElement | null {
  const list = data.terms.features?.[term];
  if (!list?.length) return null;
  const most = Math.max(...list.map(([, weight]) => Math.abs(weight)), 1e-12);
  const items = list.map(([name, weight]) => {
    const filled = h("i", { class: "model" });
    filled.style.width = `${(100 * Math.abs(weight)) / most}%`;
    return h(
      "li",
      { class: "meter" },
      h("span", { class: "long-name" }, named(name)),
      h("b", { class: "track" }, filled),
      h("span", { class: "value" }, fixed(weight, 3)),
    );
  });
  return h(
    "section",
    {},
    h("h3", {}, "Most important features"),
    data.terms.features_are ? h("p", { class: "note" }, `${sentence(data.terms.features_are)}.`) : null,
    h("ol", { class: "meters" }, ...items),
  );
}

function rows(data: Data, term: Term): HTMLElement | null {
  const all = data.rowsOf(term);
  if (!all.length) return null;
  const has = ([row]: (typeof all)[number]) => data.isPredicted(row, term);
  const predicted = all.filter(has).length;
  const known = new Set(all.slice(0, FEW).filter(([row]) => data.known(row).has(term)));
  const items = all.slice(0, FEW).map((entry) => {
    const [row, [, probability]] = entry;
    return h(
      "li",
      { class: "meter" },
      h("span", { class: "long-name" }, rowLink(data, row, term)),
      h("small", {}, known.has(entry) ? (has(entry) ? "✓ known" : "! known, not predicted") : has(entry) ? "+ predicted" : "○ below threshold"),
      h("span", { class: "value" }, chance(probability)),
    );
  });
  const text = `${counted(predicted, "row")} on this page ${predicted === 1 ? "is" : "are"} predicted to have it (threshold ${chance(data.terms.threshold[term])}). `;
  const first = all.length > FEW ? `The ${FEW} most probable:` : "";
  return h(
    "section",
    {},
    h("h3", {}, "Most probable rows"),
    h("p", { class: "note" }, text + first),
    h("ol", { class: "meters rows-of" }, ...items),
  );
}
