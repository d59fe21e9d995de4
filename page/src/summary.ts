// The first screen: how good the model is, and what it is.

import { chart } from "./chart";
import type { Data } from "./data";
import { h, named } from "./dom";
import { count, counted, digitsFor, fixed, sentence } from "./format";
import { termLink } from "./links";
import type { Candidate, Score, Summary, Term } from "./payload";
import { pseudoLabels } from "./pseudo_labels";
import { measuredBy, stepBar, STEP_NAMES, UNMEASURED } from "./quality";
import { DataTable } from "./table";

/** Scores that are nearer to each other change places with the folds. */
const A_LITTLE = 0.005;

const STATUS: Record<Candidate["status"], string> = {
  kept: "in the mean",
  tried: "not selected",
  skipped: "skipped",
  failed: "failed",
};

export function summaryView(data: Data): HTMLElement {
  const { summary, left_out, measured_on } = data.payload;
  return h(
    "div",
    {},
    h(
      "div",
      { class: "first-screen" },
      h(
        "div",
        {},
        notes(summary.warnings, "warnings", "Warnings"),
        scores(summary.scores, measured_on),
        atAGlance(data),
        told(summary),
        notes(left_out, "left-out", "What this report leaves out"),
      ),
      h("aside", {}, method(summary)),
    ),
    curves(summary),
    pseudoLabels(summary.pseudo_labels),
    candidates(summary.candidates),
  );
}

/** Which terms a row gets, and what unlabelled rows gave. */
function told({ decision, unlabeled }: Summary): HTMLElement {
  const lines = [decision, unlabeled].filter((one) => one !== null);
  return h("section", { id: "told" }, h("h2", {}, "Decision and unlabelled rows"), ...lines.map((one) => h("p", {}, `${sentence(one)}.`)));
}

function notes(sentences: string[], name: string, title: string): HTMLElement | null {
  if (!sentences.length) return null;
  const items = sentences.map((one) => h("li", {}, sentence(one)));
  return h("section", { class: `notes ${name}` }, h("h2", {}, title), h("ul", {}, ...items));
}

function scores(list: Score[], measuredOn: string | null): HTMLElement | null {
  if (!list.length) return null;
  const rows = list.map((score) => {
    const { model, constant } = score;
    const isKnown = model !== null && constant !== null;
    const gain = isKnown ? (score.better === "higher" ? model - constant : constant - model) : null;
    const verdict = gain === null ? "" : Math.abs(gain) < A_LITTLE ? "about equal" : gain > 0 ? "better" : "worse";
    const sign = verdict === "better" ? "▲" : verdict === "worse" ? "▼" : "≈";
    return h(
      "div",
      { class: "score", role: "row" },
      h("div", { class: "score-name", role: "rowheader" }, score.measure, h("small", {}, `${score.better} is better`)),
      h("div", { role: "cell", class: "score-bars" }, bar(score, "model"), bar(score, "constant")),
      h(
        "div",
        { role: "cell", class: `score-gain ${verdict}` },
        gain === null ? "" : verdict === "about equal" ? `${sign} ${verdict}` : `${sign} ${fixed(Math.abs(gain), 3)} ${verdict}`,
      ),
    );
  });
  const where = measuredOn ? `Measured ${measuredBy(measuredOn)}. ` : "";
  return h(
    "section",
    { id: "scores" },
    h("h2", {}, "Quality of the model"),
    h("p", {}, `${where}The constant predictor ignores the features and predicts the term frequencies for every row.`),
    h("div", { class: "scores", role: "table", "aria-label": "Scores next to those of the constant predictor" }, ...rows),
  );
}

function bar(score: Score, who: "model" | "constant"): HTMLElement {
  const value = score[who];
  const most = Math.max(1, score.model ?? 0, score.constant ?? 0);
  const filled = h("i", { class: who });
  filled.style.width = `${(100 * Math.max(0, value ?? 0)) / most}%`;
  return h("div", { class: "bar" }, h("span", {}, who), h("b", {}, filled), h("span", { class: "value" }, fixed(value, 3)));
}

function atAGlance(data: Data): HTMLElement | null {
  const steps = new Array<number>(UNMEASURED + 1).fill(0);
  for (const root of data.roots) {
    const branch = data.branch(root);
    for (let step = 0; step <= UNMEASURED; step++) steps[step] += branch.steps[step];
  }
  const measured = steps.slice(0, UNMEASURED).reduce((sum, one) => sum + one, 0);
  const nRoots = data.terms.is_uninformative.filter(Boolean).length;
  if (!measured) return null;
  const list = [...STEP_NAMES, "not measured"].map((name, step) =>
    h("li", {}, h("i", { class: `swatch q${step}` }), `${count(steps[step])} ${name}`),
  );
  return h(
    "section",
    { id: "glance" },
    h("h2", {}, "Terms at a glance"),
    h(
      "p",
      {},
      "The quality of a term is how far its average precision is above its frequency: 0 is no better than the frequency, 1 is perfect, and values below 0 are worse than the frequency. ",
      nRoots ? `${nRoots === 1 ? "The root" : `The ${count(nRoots)} roots`} that nearly all rows have ${nRoots === 1 ? "is" : "are"} not counted. ` : "",
      h("a", { href: "#hierarchy" }, "See where the strong and the weak terms are"),
      ".",
    ),
    stepBar(steps),
    h("ul", { class: "legend" }, ...list),
    extremes(data),
  );
}

/** The strongest and weakest branches in a line each. */
function extremes(data: Data): HTMLElement | null {
  const branches = data.largeBranches();
  if (branches.length < 2) return null;
  const most = Math.min(3, Math.floor(branches.length / 2));
  const digits = Math.max(3, digitsFor([...branches.slice(0, most), ...branches.slice(-most)].map((term) => data.branch(term).quality!)));
  const line = (title: string, terms: Term[]) => {
    const links = terms.flatMap((term, at) => [
      at ? ", " : "",
      termLink(data, term),
      ` (${fixed(data.branch(term).quality, digits)})`,
    ]);
    return h("p", { class: "extremes" }, h("strong", {}, title), ...links);
  };
  return h(
    "div",
    {},
    line("Strongest branches, by mean quality: ", branches.slice(-most).reverse()),
    line("Weakest branches: ", branches.slice(0, most)),
  );
}

function curves(summary: Summary): HTMLElement | null {
  const drawn: HTMLElement[] = [];
  const recalls = summary.curves.precision_recall;
  if (recalls.length) {
    const list = recalls.map((one) => ({
      label: one.label,
      x: one.recall,
      y: one.precision,
      note: `${fixed(one.average_precision)} / ${fixed(one.constant)}`,
    }));
    drawn.push(
      chart({
        id: "precision-recall",
        title: "Precision and recall by depth",
        x: "recall",
        y: "precision",
        curves: list,
        note: "Next to each name: the average precision of the model / of the constant predictor. Click names to highlight curves.",
      }),
    );
  }
  const reliability = summary.curves.reliability;
  if (reliability.length) {
    const list = reliability.map((one) => ({ label: one.label, x: one.said, y: one.true, count: one.count }));
    drawn.push(
      chart({
        id: "reliability",
        title: "Calibration by depth",
        x: "predicted probability",
        y: "observed share",
        curves: list,
        note: "On the dashed line, probabilities equal observed shares. Below it, the model overestimates; above it, the model underestimates. Larger marks represent more pairs of row and term.",
        hasDiagonal: true,
      }),
    );
  }
  if (!drawn.length) return null;
  return h("section", {}, h("h2", {}, "Curves"), h("div", { class: "figures" }, ...drawn));
}

function candidates(list: Candidate[]): HTMLElement | null {
  if (!list.length) return null;
  const table = new DataTable<Candidate>({
    name: "candidates",
    caption: "Candidates",
    unit: "candidate",
    rows: list,
    columns: [
      { key: "name", label: "candidate", stays: true, value: (row) => row.name },
      { key: "score", label: "score", help: "Micro average precision in cross-validation", kind: "number", digits: 4, value: (row) => row.score },
      { key: "status", label: "status", filter: true, value: (row) => STATUS[row.status] },
      { key: "share", label: "share", help: "Its weight in the mean", kind: "number", digits: 2, value: (row) => row.share },
      {
        key: "uses_unlabeled",
        label: "unlabelled rows",
        filter: true,
        value: (row) => (row.uses_unlabeled ? "learns from them" : "does not use them"),
      },
      { key: "seconds", label: "seconds", help: "Time to train and evaluate it", kind: "number", digits: 1, value: (row) => row.seconds },
      ...(list.some((row) => row.reason) ? [{ key: "reason", label: "reason", value: (row: Candidate) => row.reason || null }] : []),
    ],
    sorted: { key: "score", direction: -1 },
  });
  const skipped = list.filter(({ status }) => status === "skipped" || status === "failed");
  const said = skipped.length
    ? h("p", {}, `${count(skipped.length)} of ${counted(list.length, "candidate")} ${skipped.length === 1 ? "was" : "were"} not tried: ${skipped.map(whySkipped).join("; ")}.`)
    : null;
  return h("section", { id: "tried" }, h("h2", {}, "Candidates"), said, table.element);
}

function whySkipped({ name, reason, expected_seconds }: Candidate): string {
  const cost = expected_seconds === null ? "" : `; it takes about ${count(Math.ceil(expected_seconds))} s`;
  return `${name} (${reason}${cost})`;
}

function method(summary: Summary): HTMLElement {
  const facts = summary.facts.flatMap(([label, text]) => [h("dt", {}, label), h("dd", {}, named(text))]);
  const settings = Object.entries(summary.settings).map(([name, value]) => `${name}=${String(value)}`);
  return h(
    "section",
    { id: "method" },
    h("h2", {}, "About the model"),
    h("dl", { class: "facts" }, ...facts),
    h("p", {}, "Settings: ", settings.length ? h("code", {}, named(settings.join(", "))) : "all defaults"),
    summary.choices.length
      ? h("details", {}, h("summary", {}, "How it was made"), h("ul", { class: "choices" }, ...summary.choices.map((one) => h("li", {}, named(sentence(one))))))
      : null,
  );
}
