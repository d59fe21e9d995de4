// The page of a model: reads the payload, and shows what the address asks for.

import { checkView } from "./check";
import { Data } from "./data";
import { h } from "./dom";
import { HierarchyView } from "./hierarchy";
import { placeOf, VIEWS, type Place, type View } from "./links";
import type { Payload } from "./payload";
import { RowsView } from "./rows";
import { searchField } from "./search";
import { summaryView } from "./summary";
import { themeSwitch } from "./theme";

const TITLES: Record<View, string> = {
  model: "Model",
  hierarchy: "Hierarchy",
  rows: "Rows",
  check: "Check first",
};

class Page {
  private readonly views = new Map<View, HTMLElement>();
  private readonly tabs = new Map<View, HTMLElement>();
  private readonly main = document.getElementById("main")!;
  private hierarchy: HierarchyView | null = null;
  private rows: RowsView | null = null;
  private hash = "";

  constructor(private readonly data: Data) {
    const go = (hash: string) => this.go(hash);
    const tabs = VIEWS.map((view) => {
      const tab = h("a", { href: `#${view}` }, TITLES[view]);
      this.tabs.set(view, tab);
      return tab;
    });
    document
      .getElementById("bar")!
      .append(
        h("nav", { class: "tabs", "aria-label": "Sections" }, ...tabs),
        searchField(data, go),
        themeSwitch(() => this.hierarchy?.redraw()),
      );
    this.main.replaceChildren();
    this.fillFrame();
    document.addEventListener("click", (event) => this.follow(event));
    window.addEventListener("hashchange", () => this.arrive(window.location.hash));
    this.arrive(window.location.hash);
  }

  private fillFrame(): void {
    const { summary, made, version } = this.data.payload;
    document.getElementById("lead")!.textContent = [summary.method, summary.predicts].filter(Boolean).join(": ");
    const footer = document.getElementById("footer")!;
    footer.textContent = `Created by hilabel ${version} on ${made}. This file is self-contained and loads nothing from the internet.`;
  }

  /** Links are followed here: inside a notebook their address is the notebook's. */
  private follow(event: MouseEvent): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const hash = (event.target as Element).closest?.("a[href^='#']")?.getAttribute("href");
    if (!hash || hash === "#main") return;
    event.preventDefault();
    this.go(hash);
  }

  private go(hash: string): void {
    this.arrive(hash);
    if (window.location.hash === hash) return;
    try {
      window.history.pushState(null, "", hash); // without a search for a place to scroll to
    } catch {
      window.location.hash = hash; // in the frame of a notebook
    }
  }

  private arrive(hash: string): void {
    if (hash === this.hash && this.main.childElementCount) return;
    const place = placeOf(this.data, hash);
    const isNewView = !this.main.querySelector(`[data-view="${place.view}"]:not([hidden])`);
    this.hash = hash;
    this.show(place);
    const isNewRow = place.view === "rows" && place.term === undefined;
    if (place.view === "hierarchy" && place.term !== undefined) this.hierarchy!.scrollToTree(isNewView);
    else if (isNewView || isNewRow) window.scrollTo(0, 0);
    else if (place.view === "rows") this.rows!.scrollToWhy();
  }

  private show(place: Place): void {
    if (!this.views.has(place.view)) {
      const view = h("div", { "data-view": place.view });
      this.views.set(place.view, view);
      this.main.append(view);
      view.append(this.make(place.view));
    }
    for (const [name, view] of this.views) view.hidden = name !== place.view;
    for (const [name, tab] of this.tabs) {
      if (name === place.view) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    if (place.view === "hierarchy") this.hierarchy!.show(place.term);
    if (place.view === "rows") this.rows!.show(place.row, place.term);
  }

  private make(view: View): HTMLElement {
    const { data } = this;
    if (view === "model") return summaryView(data);
    if (view === "check") return checkView(data);
    if (view === "rows") return (this.rows = new RowsView(data)).element;
    this.hierarchy = new HierarchyView(data, (hash) => this.go(hash));
    return this.hierarchy.element;
  }
}

const payload = JSON.parse(document.getElementById("payload")!.textContent!) as Payload;
new Page(new Data(payload));
document.documentElement.dataset.ready = "";
