"use strict";
(() => {
  const PAGE_SIZE = 20;
  const MISSING = "–";

  // Small helpers ------------------------------------------------------------------

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  const compare = (a, b) => {
    if (a === b) return 0;
    // Missing values come last, whichever way the rest is sorted.
    if (a === null || a === "") return Infinity;
    if (b === null || b === "") return -Infinity;
    return typeof a === "number" && typeof b === "number"
      ? a - b
      : String(a).localeCompare(String(b), undefined, { numeric: true });
  };

  const inOrder = (a, b, direction) => {
    const order = compare(a, b);
    return Number.isFinite(order) ? direction * order : order;
  };

  const shown = (value, column) => {
    if (value === null || value === "") return MISSING;
    const written = (number) => number.toFixed(column.digits).replace("-", "−");
    if (column.kind === "number") return written(value);
    if (column.kind === "percent") return `${written(100 * value)} %`;
    return String(value);
  };

  // Light and dark -----------------------------------------------------------------

  const root = document.documentElement;
  const themeButton = document.getElementById("theme");
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () =>
    root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
  const nameTheme = () => {
    themeButton.textContent = isDark() ? "Light colours" : "Dark colours";
  };
  themeButton.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
  });
  prefersDark.addEventListener("change", nameTheme);
  nameTheme();

  // Methods brought out in all figures ---------------------------------------------

  const chosen = new Set();
  const legendButtons = document.querySelectorAll(".legend button");
  const bringOut = () => {
    for (const button of legendButtons) {
      button.setAttribute("aria-pressed", chosen.has(button.dataset.series));
    }
    for (const series of document.querySelectorAll(".figure .series")) {
      const number = /series-(\d+)/.exec(series.getAttribute("class"))[1];
      series.classList.toggle("faded", chosen.size > 0 && !chosen.has(number));
    }
  };
  for (const button of legendButtons) {
    button.addEventListener("click", () => {
      const number = button.dataset.series;
      if (!chosen.delete(number)) chosen.add(number);
      bringOut();
    });
  }

  // Small tables: sort the rows that are there ----------------------------------------

  const sortHead = (cell, sort) => {
    const label = cell.textContent;
    if (!label) return;
    const button = make("button", { type: "button", textContent: label });
    button.addEventListener("click", () => {
      const isUp = cell.getAttribute("aria-sort") === "ascending";
      for (const other of cell.parentElement.children) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", isUp ? "descending" : "ascending");
      sort(isUp ? -1 : 1);
    });
    cell.replaceChildren(button);
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const valueOf = (row, place) => {
      const cell = row.cells[place];
      if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
      const text = cell.textContent.trim();
      return text === MISSING ? null : text;
    };
    [...table.tHead.rows[0].cells].forEach((cell, place) => {
      sortHead(cell, (direction) => {
        const rows = [...body.rows];
        rows.sort((a, b) => inOrder(valueOf(a, place), valueOf(b, place), direction));
        body.append(...rows);
      });
    });
  }

  // Long tables: sort, filter, search, turn pages, save -------------------------------

  class DataTable {
    constructor(section) {
      this.section = section;
      Object.assign(this, JSON.parse(section.querySelector("script").textContent));
      this.selects = new Map();
      this.found = this.rows;
      this.page = 0;
      this.body = make("tbody");
      this.count = make("span", { role: "status" });
      const place = section.querySelector(".data-table");
      place.append(this.makeControls(), this.makeTable(), this.makePager());
      this.filter();
    }

    makeControls() {
      const controls = make("div", { className: "controls" });
      this.columns.forEach((column, place) => {
        if (!column.is_filter) return;
        const values = [...new Set(this.rows.map((row) => row[place]))];
        if (column.kind !== "text") values.sort((a, b) => compare(a, b));
        const select = make("select", {}, make("option", { value: "", textContent: "all" }));
        for (const value of values) {
          const textContent = shown(value, column);
          select.append(make("option", { value: textContent, textContent }));
        }
        select.addEventListener("change", () => this.filter());
        this.selects.set(column.key, { select, place, column });
        controls.append(make("label", {}, column.label, select));
      });
      this.search = make("input", { type: "search", placeholder: "any text" });
      this.search.addEventListener("input", () => this.filter());
      const reset = make("button", { type: "button", textContent: "Reset" });
      reset.addEventListener("click", () => this.choose(new URLSearchParams()));
      const save = make("button", { type: "button", textContent: "Save these rows" });
      save.addEventListener("click", () => this.save());
      controls.append(make("label", {}, "search", this.search), reset, save);
      return controls;
    }

    makeTable() {
      const head = make("tr");
      this.columns.forEach((column, place) => {
        const cell = make("th", { scope: "col", className: column.kind });
        cell.textContent = column.label;
        sortHead(cell, (direction) => {
          this.rows = [...this.rows].sort((a, b) => inOrder(a[place], b[place], direction));
          this.filter();
        });
        head.append(cell);
      });
      const table = make("table", {}, make("thead", {}, head), this.body);
      const box = make("div", { className: "scroll", tabIndex: 0 }, table);
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", this.section.querySelector("h3").textContent);
      return box;
    }

    makePager() {
      const turn = (step, textContent) => {
        const button = make("button", { type: "button", textContent });
        button.addEventListener("click", () => this.show(this.page + step));
        return button;
      };
      this.previous = turn(-1, "Previous");
      this.next = turn(1, "Next");
      return make("div", { className: "pager" }, this.previous, this.next, this.count);
    }

    choose(wanted) {
      this.search.value = wanted.get("search") ?? "";
      for (const [key, { select }] of this.selects) {
        select.value = wanted.get(key) ?? "";
      }
      this.filter();
    }

    filter() {
      const word = this.search.value.trim().toLowerCase();
      const wanted = [...this.selects.values()].filter(({ select }) => select.value);
      this.found = this.rows.filter(
        (row) =>
          wanted.every(({ select, place, column }) => shown(row[place], column) === select.value) &&
          (!word || row.some((value, at) => shown(value, this.columns[at]).toLowerCase().includes(word))),
      );
      this.show(0);
    }

    show(page) {
      this.page = page;
      const start = page * PAGE_SIZE;
      const rows = this.found.slice(start, start + PAGE_SIZE);
      this.body.replaceChildren(
        ...rows.map((row) =>
          make(
            "tr",
            {},
            ...row.map((value, place) => {
              const textContent = shown(value, this.columns[place]);
              const long = textContent.length > 48 ? " long" : "";
              return make("td", { className: this.columns[place].kind + long, textContent });
            }),
          ),
        ),
      );
      const end = start + rows.length;
      const total = this.found.length;
      this.count.textContent = total
        ? `${start + 1}–${end} of ${total} rows`
        : "No row fits; reset to see all.";
      this.previous.disabled = page === 0;
      this.next.disabled = end >= total;
    }

    save() {
      const quote = (value) => {
        const text = value === null ? "" : String(value);
        return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
      };
      const lines = [this.columns.map((column) => column.key), ...this.found];
      const text = lines.map((line) => line.map(quote).join(",")).join("\n") + "\n";
      const href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
      make("a", { href, download: `${this.name}.csv` }).click();
      URL.revokeObjectURL(href);
    }
  }

  const tables = new Map();
  for (const section of document.querySelectorAll(".rows")) {
    tables.set(section.id, new DataTable(section));
  }

  // Links from figures: #rows-scores?dataset=eisen -----------------------------------

  const follow = () => {
    const [id, query = ""] = window.location.hash.slice(1).split("?");
    const table = tables.get(id);
    if (!table) return;
    table.choose(new URLSearchParams(query));
    for (const other of tables.values()) other.section.classList.remove("called");
    table.section.classList.add("called");
    table.section.scrollIntoView();
  };
  window.addEventListener("hashchange", follow);
  follow();
})();
