// One field that finds terms and rows by name or id.

import type { Data } from "./data";
import { h, named } from "./dom";
import { rowHash, termHash } from "./links";
import { swatch } from "./quality";

const MOST = 12;

interface Hit {
  hash: string;
  label: string;
  detail: string;
  mark: Node;
  rank: number;
}

/** Whole names come first, then beginnings, then the rest. */
function rankOf(word: string, ...texts: string[]): number {
  let best = 9;
  for (const text of texts) {
    const place = text.indexOf(word);
    if (place < 0) continue;
    const rank = text === word ? 0 : place === 0 ? 1 : /\s/.test(text[place - 1]) ? 2 : 3;
    best = Math.min(best, rank);
  }
  return best;
}

class Finder {
  private readonly names: [id: string, name: string][];
  private readonly rowIds: string[];

  constructor(private readonly data: Data) {
    const { terms, rows } = data;
    this.names = terms.id.map((id, term) => [id.toLowerCase(), (terms.name[term] ?? "").toLowerCase()]);
    this.rowIds = rows.id.map((id) => id.toLowerCase());
  }

  find(text: string): { hits: Hit[]; total: number } {
    const word = text.trim().toLowerCase();
    if (!word) return { hits: [], total: 0 };
    const { data } = this;
    const found: [rank: number, isRow: boolean, place: number][] = [];
    this.rowIds.forEach((id, row) => {
      const rank = rankOf(word, id);
      if (rank < 9) found.push([rank, true, row]);
    });
    this.names.forEach(([id, name], term) => {
      const rank = rankOf(word, id, name);
      if (rank < 9) found.push([rank, false, term]);
    });
    found.sort((a, b) => a[0] - b[0]);
    const hits = found.slice(0, MOST).map(([rank, isRow, place]): Hit => {
      if (isRow) {
        const mark = h("i", { class: "row-mark", "aria-hidden": "true" });
        const detail = `row, ${data.rows.state[place]}`;
        return { hash: rowHash(data, place), label: data.rows.id[place], detail, mark, rank };
      }
      const mark = swatch(data.quality[place]);
      const detail = data.code(place) || "term";
      return { hash: termHash(data, place), label: data.label(place), detail, mark, rank };
    });
    return { hits, total: found.length };
  }
}

/** A combobox with a list of what fits; Enter goes to the first or the chosen one. */
export function searchField(data: Data, go: (hash: string) => void): HTMLElement {
  let finder: Finder | null = null;
  let hits: Hit[] = [];
  let chosen = -1;
  const input = h("input", {
    type: "search",
    id: "search",
    role: "combobox",
    placeholder: "Find a term or a row",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": "Find a term or a row by name or id",
    "aria-expanded": "false",
    "aria-controls": "hits",
    "aria-autocomplete": "list",
  });
  const list = h("ul", { id: "hits", role: "listbox", "aria-label": "Search results", hidden: true });
  const note = h("p", { class: "hits-note", role: "status" });
  const box = h("div", { class: "hits", hidden: true }, list, note);

  const close = () => {
    list.hidden = box.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = (place: number) => {
    chosen = place;
    [...list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === place)));
    if (place >= 0) {
      input.setAttribute("aria-activedescendant", `hit-${place}`);
      list.children[place].scrollIntoView({ block: "nearest" });
    }
  };
  const take = (hit: Hit | undefined) => {
    if (!hit) return;
    close();
    input.value = "";
    go(hit.hash);
  };
  const update = () => {
    finder ??= new Finder(data);
    const result = finder.find(input.value);
    hits = result.hits;
    list.replaceChildren(
      ...hits.map((hit, place) =>
        h(
          "li",
          {
            id: `hit-${place}`,
            role: "option",
            // Before the field loses its focus, and the list is closed.
            onpointerdown: (event) => event.preventDefault(),
            onclick: () => take(hit),
          },
          hit.mark,
          h("span", { class: "hit-name" }, named(hit.label)),
          h("small", {}, named(hit.detail)),
        ),
      ),
    );
    const isEmpty = !input.value.trim();
    box.hidden = isEmpty;
    list.hidden = hits.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    note.textContent =
      result.total === 0
        ? "No term or row in this report has a matching name or id."
        : result.total > hits.length
          ? `${result.total - hits.length} more; type more to narrow the search.`
          : "";
    note.hidden = !note.textContent;
    choose(hits.length ? 0 : -1);
  };
  input.addEventListener("input", update);
  input.addEventListener("focus", () => input.value && update());
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!hits.length) return;
      const step = event.key === "ArrowDown" ? 1 : -1;
      choose((chosen + step + hits.length) % hits.length);
    } else if (event.key === "Enter") take(hits[Math.max(chosen, 0)]);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  return h("div", { class: "search", role: "search" }, input, box);
}
