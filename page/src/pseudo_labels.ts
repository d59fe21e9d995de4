// What pseudo-labelling did: a sentence, and a table of its passes, rounds or batches.

import { h } from "./dom";
import { sentence } from "./format";
import type { Missing, PseudoLabels } from "./payload";
import { type Column, DataTable } from "./table";

type Step = Record<string, number>;

const HELP: Record<string, string> = {
  k: "Number of neighbours that vote",
  proposed: "Rows for which the neighbours proposed a label",
  accepted: "Rows similar enough to their neighbours; labels in self-training",
  new: "Accepted rows that were not accepted in the previous pass",
  dropped: "Rows accepted in the previous pass but not in this one",
  labels: "Labels of the accepted rows, including ancestors",
  changed: "Labels that differ from those of the previous pass",
  "mean similarity": "Mean similarity of rows to their neighbours, of those with a proposed label",
  nodes: "Nodes whose classifiers took part",
  positive: "Accepted labels that are positive",
  drawn: "Rows in the batch",
  added: "Rows that got a label and joined the training rows",
  left: "Rows left for later batches",
};

export function pseudoLabels(found: Missing<PseudoLabels> | undefined): HTMLElement | null {
  if (!found) return null;
  const columns = Object.keys(found.history[0] ?? {}).map((key): Column<Step> => {
    const label = key.replaceAll("_", " ");
    return {
      key,
      label,
      help: HELP[label],
      kind: "number",
      digits: label === "mean similarity" ? 3 : undefined,
      value: (step) => step[key],
      stays: key === found.step,
    };
  });
  const table = new DataTable<Step>({
    name: "pseudo-labels",
    caption: `Pseudo-labelling: ${found.steps}`,
    unit: found.step,
    rows: found.history,
    columns,
  });
  return h(
    "section",
    { id: "pseudo-labels" },
    h("h2", {}, "Pseudo-labels"),
    h("p", {}, `${sentence(found.said)}.`),
    found.picture
      ? h(
          "figure",
          { class: "figure picture" },
          h("img", { src: found.picture.source, alt: found.picture.alt }),
          h("figcaption", {}, found.picture.note),
        )
      : null,
    found.history.length ? table.element : null,
  );
}
