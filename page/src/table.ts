// Tables that sort, filter, turn pages and download as CSV.

import { button, h, named } from "./dom";
import { count, counted, fixed, inOrder, MISSING, percent } from "./format";

/** Fewer rows are all seen at once. */
const WORTH_FILTERING = 5;

/** Longer heads have the room for it, rather than many lines. */
const LONG = 30;

export type Value = string | number | null;

export interface Column<R> {
  key: string;
  label: string;
  /** What it means, for those who point at its head. */
  help?: string;
  kind?: "text" | "number" | "percent";
  digits?: number;
  /** What is sorted by, searched and written to CSV. */
  value: (row: R) => Value;
  /** What is shown, where that is more than the value. */
  cell?: (row: R) => Node;
  /** Whether a list of its values narrows the rows. */
  filter?: boolean;
  /** What a list of values calls those that are missing. */
  missing?: string;
  /** Stays in view where the table is wider than the screen. */
  stays?: boolean;
  /** A link beside the values: neither sorted by nor written to CSV. */
  isLink?: boolean;
}

export interface TableOptions<R> {
  name: string;
  caption: string;
  columns: Column<R>[];
  rows: R[];
  size?: number;
  /** What a row of the table is; not always a row of the data. */
  unit?: string;
  /** The column that the rows are in the order of when the page opens. */
  sorted?: { key: string; direction: 1 | -1 };
}

function shown<R>(value: Value, column: Column<R>): string {
  if (value === null || value === "") return MISSING;
  if (typeof value !== "number") return value;
  if (column.kind === "percent") return percent(value, column.digits ?? 1);
  return column.digits === undefined ? count(value) : fixed(value, column.digits);
}

export class DataTable<R> {
  readonly element: HTMLElement;
  private readonly options: TableOptions<R>;
  private readonly size: number;
  private readonly body = h("tbody");
  private readonly status = h("span", { role: "status" });
  private readonly search = h("input", { type: "search", placeholder: "any text" });
  private readonly selects: [Column<R>, HTMLSelectElement][] = [];
  private readonly heads = new Map<string, HTMLElement>();
  private readonly previous = button("Previous", () => this.show(this.page - 1));
  private readonly next = button("Next", () => this.show(this.page + 1));
  private readonly words = new Map<R, string>();
  private rows: R[];
  private found: R[];
  private page = 0;

  constructor(options: TableOptions<R>) {
    this.options = options;
    this.size = options.size ?? 15;
    this.rows = this.found = options.rows;
    const region = h("div", {
      class: "scroll",
      tabindex: 0,
      role: "region",
      "aria-label": options.caption,
    });
    const hint = h("p", { class: "scroll-hint note", hidden: true }, "The table is wider than the screen; scroll sideways to see all columns.");
    new ResizeObserver(() => (hint.hidden = region.scrollWidth <= region.clientWidth + 1)).observe(region);
    region.append(h("table", {}, h("thead", {}, this.makeHead()), this.body));
    const save = button("Download CSV", () => this.download());
    const pager = h("div", { class: "pager" }, this.previous, this.next, this.status, save);
    this.element = h(
      "div",
      { class: "data-table", id: `table-${options.name}` },
      this.makeControls(),
      hint,
      region,
      pager,
    );
    if (options.sorted) this.sort(options.sorted.key, options.sorted.direction);
    this.filter();
  }

  private makeControls(): HTMLElement {
    const controls = h("div", { class: "controls" });
    for (const column of this.options.columns) {
      if (!column.filter) continue;
      const values = [...new Set(this.options.rows.map((row) => column.value(row)))];
      if (values.length < 2) continue;
      // Text stays in the order of the rows, which has its reasons.
      if (column.kind === "number" || column.kind === "percent") values.sort((a, b) => inOrder(a, b, 1));
      const select = h("select", { onchange: () => this.filter() });
      select.append(h("option", { value: "" }, "all"));
      for (const one of values) {
        const value = shown(one, column);
        select.append(h("option", { value }, value === MISSING ? (column.missing ?? "none") : value));
      }
      this.selects.push([column, select]);
      controls.append(h("label", {}, column.label, select));
    }
    this.search.addEventListener("input", () => this.filter());
    controls.append(h("label", {}, "filter", this.search));
    controls.hidden = this.options.rows.length < WORTH_FILTERING;
    return controls;
  }

  private makeHead(): HTMLElement {
    const head = h("tr");
    for (const column of this.options.columns) {
      if (column.isLink) {
        head.append(h("th", { scope: "col", class: "link" }, column.label));
        continue;
      }
      const turn = () => {
        const isUp = cell.getAttribute("aria-sort") === "ascending";
        this.sort(column.key, isUp ? -1 : 1);
        this.filter();
      };
      const cell = h(
        "th",
        { scope: "col", class: (column.kind ?? "text") + (column.stays ? " stays" : "") + (column.label.length > LONG ? " wide" : "") },
        button(column.label, turn, { title: column.help }),
      );
      this.heads.set(column.key, cell);
      head.append(cell);
    }
    return head;
  }

  private sort(key: string, direction: 1 | -1): void {
    const column = this.options.columns.find((one) => one.key === key)!;
    this.rows = [...this.options.rows].sort((a, b) =>
      inOrder(column.value(a), column.value(b), direction),
    );
    for (const cell of this.heads.values()) cell.removeAttribute("aria-sort");
    const order = direction > 0 ? "ascending" : "descending";
    this.heads.get(key)!.setAttribute("aria-sort", order);
  }

  private wordsOf(row: R): string {
    let words = this.words.get(row);
    if (words === undefined) {
      const texts = this.options.columns.map((column) => shown(column.value(row), column));
      words = texts.join("\n").toLowerCase();
      this.words.set(row, words);
    }
    return words;
  }

  /** Shows the rows that have these values in their columns. */
  choose(wanted: URLSearchParams): void {
    this.search.value = "";
    for (const [column, select] of this.selects) select.value = wanted.get(column.key) ?? "";
    this.filter();
  }

  private filter(): void {
    const word = this.search.value.trim().toLowerCase();
    const wanted = this.selects.filter(([, select]) => select.value);
    this.found = this.rows.filter(
      (row) =>
        wanted.every(([column, select]) => shown(column.value(row), column) === select.value) &&
        (!word || this.wordsOf(row).includes(word)),
    );
    this.show(0);
  }

  private show(page: number): void {
    this.page = page;
    const start = page * this.size;
    const rows = this.found.slice(start, start + this.size);
    this.body.replaceChildren(
      ...rows.map((row) => h("tr", {}, ...this.options.columns.map((one) => cellOf(one, row)))),
    );
    const end = start + rows.length;
    const total = this.found.length;
    this.status.textContent = total
      ? `${count(start + 1)}–${count(end)} of ${counted(total, this.options.unit ?? "row")}`
      : "No matches.";
    this.previous.disabled = page === 0;
    this.next.disabled = end >= total;
    for (const turn of [this.previous, this.next]) turn.hidden = total <= this.size;
  }

  private download(): void {
    const quote = (value: Value) => {
      const text = value === null ? "" : String(value);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const { name } = this.options;
    const columns = this.options.columns.filter((column) => !column.isLink);
    const lines = this.found.map((row) => columns.map((column) => quote(column.value(row))));
    lines.unshift(columns.map((column) => quote(column.key)));
    const text = lines.map((line) => line.join(",") + "\n").join("");
    const href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    h("a", { href, download: `${name}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
  }
}

function cellOf<R>(column: Column<R>, row: R): HTMLElement {
  const { kind = "text" } = column;
  const text = shown(column.value(row), column);
  if (column.isLink) return h("td", { class: "link" }, column.cell!(row));
  if (kind !== "text") return h("td", { class: kind }, text);
  // Words as long as a line may break anywhere; others stay whole.
  const shape = text.length > 36 ? " long" : text.length <= 20 ? " short" : "";
  const breaks = /\S{28}/.test(text) ? " breaks" : "";
  const stays = column.stays ? " stays" : "";
  return h("td", { class: kind + shape + breaks + stays }, column.cell?.(row) ?? named(text));
}
