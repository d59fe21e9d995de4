// Addresses inside the page: #term=GO:0008150, #row=YAL001C&term=GO:0008150.

import type { Data } from "./data";
import { h, named } from "./dom";
import type { Row, Term } from "./payload";
import type { Column } from "./table";

export const VIEWS = ["model", "hierarchy", "rows", "check"] as const;
export type View = (typeof VIEWS)[number];

export interface Place {
  view: View;
  term?: Term;
  row?: Row;
}

export const termHash = (data: Data, term: Term): string =>
  `#term=${encodeURIComponent(data.terms.id[term])}`;

export function rowHash(data: Data, row: Row, term?: Term): string {
  const hash = `#row=${encodeURIComponent(data.rows.id[row])}`;
  return term === undefined ? hash : `${hash}&${termHash(data, term).slice(1)}`;
}

/** Where an address leads; the first screen if nobody knows. */
export function placeOf(data: Data, hash: string): Place {
  const text = hash.replace(/^#/, "");
  if ((VIEWS as readonly string[]).includes(text)) return { view: text as View };
  const parts = new Map(text.split("&").map((part) => [part.split("=")[0], decoded(part)]));
  const term = data.term(parts.get("term") ?? "");
  if (parts.has("row")) {
    const row = data.row(parts.get("row")!);
    return row === undefined ? { view: "rows" } : { view: "rows", row, term };
  }
  if (parts.has("term")) return { view: "hierarchy", term };
  return { view: "model" };
}

function decoded(part: string): string {
  const text = part.slice(part.indexOf("=") + 1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // typed by hand
  }
}

/** A column of ids, where names say something else. */
export const idColumn = <R>(data: Data, term: (row: R) => Term): Column<R>[] =>
  data.hasNames ? [{ key: "id", label: "id", value: (row) => data.terms.id[term(row)] }] : [];

export const termLink = (data: Data, term: Term, label = data.label(term)): HTMLElement =>
  h("a", { href: termHash(data, term), title: data.terms.id[term] }, named(label));

export const rowLink = (data: Data, row: Row, term?: Term): HTMLElement =>
  h("a", { href: rowHash(data, row, term) }, named(data.rows.id[row]));
