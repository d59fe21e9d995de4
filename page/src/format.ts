// Numbers as readers see them.

import type { Missing } from "./payload";

export const MISSING = "–";

export function fixed(value: Missing<number> | undefined, digits = 2): string {
  if (value === null || value === undefined || Number.isNaN(value)) return MISSING;
  const text = value.toFixed(digits);
  // A little below zero is no negative zero.
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

export function percent(value: Missing<number> | undefined, digits = 1): string {
  if (value === null || value === undefined || Number.isNaN(value)) return MISSING;
  const text = fixed(100 * value, digits);
  // A label that a few rows have is not one that none have.
  return value > 0 && Number(text) === 0 ? `< ${fixed(10 ** -digits, digits)} %` : `${text} %`;
}

/** A probability or a threshold; with fewer digits one may seem to reach the other. */
export const chance = (value: Missing<number> | undefined): string => fixed(value, 3);

/** How far apart two of them are, as their shown digits have it. */
export function gap(a: number, b: number): string {
  const apart = Math.abs(Number(a.toFixed(3)) - Number(b.toFixed(3)));
  return apart > 0.0005 ? chance(apart) : "less than 0.001";
}

/** A value of a feature. */
export const amount = (value: Missing<number>): string =>
  value === null ? "no value" : Number(value.toPrecision(4)).toString().replace("-", "−");

/** What is added, with its sign. */
export const signed = (value: number): string => `${value < 0 ? "−" : "+"}${Number(Math.abs(value).toPrecision(2))}`;

/** Digits with which numbers that differ look different, from 2 to 4. */
export function digitsFor(values: number[]): number {
  for (const digits of [2, 3]) {
    if (new Set(values.map((value) => fixed(value, digits))).size === new Set(values).size) return digits;
  }
  return 4;
}

const grouped = new Intl.NumberFormat("en");

export const count = (value: Missing<number> | undefined): string =>
  value === null || value === undefined ? MISSING : grouped.format(value);

export const counted = (value: number, one: string, many = /(ch|ss)$/.test(one) ? `${one}es` : `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** With a capital at its start. */
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const distance = (value: Missing<number>): string =>
  value === null ? MISSING : Number(value.toPrecision(3)).toString();

/** Orders missing values last, in both directions. */
export function inOrder(a: unknown, b: unknown, direction: number): number {
  const [lastA, lastB] = [a === null || a === "", b === null || b === ""];
  if (lastA || lastB) return Number(lastA) - Number(lastB);
  if (typeof a === "number" && typeof b === "number") return direction * (a - b);
  return direction * String(a).localeCompare(String(b), undefined, { numeric: true });
}
