// Small tables that are on the page already: sort their rows where they are.

import { button } from "./dom";
import { inOrder, MISSING } from "./format";

function valueOf(row: HTMLTableRowElement, place: number): string | number | null {
  const cell = row.cells[place];
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  const text = cell.textContent!.trim();
  return text === MISSING ? null : text;
}

export function makeSortable(table: HTMLTableElement): void {
  const heads = [...table.tHead!.rows[0].cells];
  heads.forEach((head, place) => {
    const label = head.textContent;
    if (!label) return;
    const turn = () => {
      const direction = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      const body = table.tBodies[0];
      const rows = [...body.rows];
      rows.sort((a, b) => inOrder(valueOf(a, place), valueOf(b, place), direction));
      body.append(...rows);
    };
    head.replaceChildren(button(label, turn));
  });
}
