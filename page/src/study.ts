// The page of a study: figures and small tables are there, long tables are made here.

import { makeSortable } from "./sortable";
import { DataTable, type Column, type Value } from "./table";
import { themeSwitch } from "./theme";

/** What Python puts into the page for each long table. */
interface StudyTable {
  name: string;
  columns: { key: string; label: string; kind: "text" | "number" | "percent"; digits: number; is_filter: boolean }[];
  rows: Value[][];
}

const SIZE = 20;

// Methods brought out in all figures ------------------------------------------------------

function bringOutMethods(): void {
  const chosen = new Set<string>();
  const keys = document.querySelectorAll<HTMLElement>(".legend button[data-series]");
  const update = () => {
    for (const key of keys) key.setAttribute("aria-pressed", String(chosen.has(key.dataset.series!)));
    for (const series of document.querySelectorAll(".figure .series")) {
      const number = [...series.classList].find((name) => name.startsWith("series-"))!.slice(7);
      series.classList.toggle("faded", chosen.size > 0 && !chosen.has(number));
    }
  };
  for (const key of keys) {
    key.addEventListener("click", () => {
      const number = key.dataset.series!;
      if (!chosen.delete(number)) chosen.add(number);
      update();
    });
  }
}

// Long tables, and links to their rows: #rows-scores?dataset=eisen ------------------------

function makeTable(section: Element): DataTable<Value[]> {
  const { name, columns, rows } = JSON.parse(section.querySelector("script")!.textContent!) as StudyTable;
  const table = new DataTable<Value[]>({
    name,
    caption: section.querySelector("h3")!.textContent!,
    rows,
    size: SIZE,
    columns: columns.map(
      ({ key, label, kind, digits, is_filter: filter }, place): Column<Value[]> => ({
        key,
        label,
        kind,
        digits,
        filter,
        value: (row) => row[place],
      }),
    ),
  });
  section.querySelector(".table-place")!.replaceWith(table.element);
  return table;
}

function followLinks(tables: Map<string, DataTable<Value[]>>): void {
  const follow = () => {
    const [id, query = ""] = window.location.hash.slice(1).split("?");
    const table = tables.get(id);
    if (!table) return;
    table.choose(new URLSearchParams(query));
    for (const section of document.querySelectorAll(".rows")) {
      section.classList.toggle("called", section.id === id);
    }
    document.getElementById(id)!.scrollIntoView();
  };
  window.addEventListener("hashchange", follow);
  follow();
}

document.querySelector(".side")!.append(themeSwitch(() => undefined));
bringOutMethods();
for (const table of document.querySelectorAll<HTMLTableElement>("table.sortable")) makeSortable(table);
const sections = [...document.querySelectorAll(".rows")];
followLinks(new Map(sections.map((section) => [section.id, makeTable(section)])));
