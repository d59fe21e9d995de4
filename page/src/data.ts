// The payload, and what follows from it: the tree, branches, rows of a term.

import type { Missing, Payload, Prediction, Row, Rows, Term, Terms } from "./payload";
import { qualityOf, stepOf, UNMEASURED } from "./quality";

/** Branches with fewer measured terms say little by their mean. */
const ENOUGH = 3;
const ENOUGH_SHARE = 0.01;

/** All terms below a term in the tree, and the term. */
export interface Branch {
  terms: number;
  measured: number;
  /** So many of these tell rows apart better than by chance. */
  reliable: number;
  quality: Missing<number>;
  steps: ArrayLike<number>;
}

export class Data {
  readonly terms: Terms;
  readonly rows: Rows;
  readonly nTerms: number;
  readonly quality: Missing<number>[];
  /** Whether names say something else than ids. */
  readonly hasNames: boolean;
  readonly roots: Term[] = [];
  /** Children under all their parents. */
  readonly children: Term[][];
  /** Children under their first parent alone, those with most rows first. */
  readonly treeChildren: Term[][];

  private readonly steps: Uint32Array;
  private readonly branchTerms: Uint32Array;
  private readonly branchSum: Float64Array;
  private readonly branchReliable: Uint32Array;
  private readonly termNumber: Map<string, Term>;
  private readonly rowNumber: Map<string, Row>;
  private readonly knownCounts: number[] = [];

  constructor(readonly payload: Payload) {
    const { terms, rows } = payload;
    this.terms = terms;
    this.rows = rows;
    const n = (this.nTerms = terms.id.length);
    this.quality = terms.ap.map((ap, term) => qualityOf(ap, terms.frequency[term]));
    this.hasNames = terms.name.some((name, term) => name && name !== terms.id[term]);
    this.children = Array.from({ length: n }, () => []);
    this.treeChildren = Array.from({ length: n }, () => []);
    this.steps = new Uint32Array(n * (UNMEASURED + 1));
    // Uninformative roots are never measured, and not counted.
    this.branchTerms = Uint32Array.from(terms.is_uninformative, (isOut) => Number(!isOut));
    this.branchSum = new Float64Array(n);
    this.branchReliable = Uint32Array.from(terms.reliable, Number);
    for (let term = 0; term < n; term++) {
      const parents = terms.parents[term];
      if (parents.length) this.treeChildren[parents[0]].push(term);
      else this.roots.push(term);
      for (const parent of parents) this.children[parent].push(term);
    }
    const order = (a: Term, b: Term) => (terms.rows[b] ?? 0) - (terms.rows[a] ?? 0) || a - b;
    for (const list of this.treeChildren) list.sort(order);
    this.roots.sort(order);
    this.sumBranches();
    this.termNumber = firstPlaces(terms.id);
    this.rowNumber = firstPlaces(rows.id);
  }

  private sumBranches(): void {
    const width = UNMEASURED + 1;
    for (let term = this.nTerms - 1; term >= 0; term--) {
      if (!this.terms.is_uninformative[term]) this.steps[term * width + stepOf(this.quality[term])]++;
      this.branchSum[term] += this.quality[term] ?? 0;
      const parent = this.treeParent(term);
      if (parent === null) continue;
      for (let step = 0; step < width; step++) {
        this.steps[parent * width + step] += this.steps[term * width + step];
      }
      this.branchTerms[parent] += this.branchTerms[term];
      this.branchSum[parent] += this.branchSum[term];
      this.branchReliable[parent] += this.branchReliable[term];
    }
  }

  branch(term: Term): Branch {
    const width = UNMEASURED + 1;
    const steps = this.steps.subarray(term * width, (term + 1) * width);
    const terms = this.branchTerms[term];
    const measured = terms - steps[UNMEASURED];
    const quality = measured ? this.branchSum[term] / measured : null;
    return { terms, measured, steps, quality, reliable: this.branchReliable[term] };
  }

  /** Branches near the top whose means say something, the weakest first. */
  largeBranches(): Term[] {
    const tops = this.roots.length > 1 ? this.roots : [];
    const below = (terms: Term[]) => terms.flatMap((term) => this.treeChildren[term]);
    const first = below(this.roots);
    const nMeasured = this.quality.filter((quality) => quality !== null).length;
    const enough = Math.max(ENOUGH, ENOUGH_SHARE * nMeasured);
    return [...tops, ...first, ...below(first)]
      .filter((term) => this.branch(term).measured >= enough)
      .sort((a, b) => this.branch(a).quality! - this.branch(b).quality!);
  }

  // Terms --------------------------------------------------------------------------

  label = (term: Term): string => this.terms.name[term] || this.terms.id[term];
  /** The id, where it says more than the label. */
  code(term: Term): string {
    const id = this.terms.id[term];
    return id === this.label(term) ? "" : id;
  }
  treeParent = (term: Term): Term | null => this.terms.parents[term][0] ?? null;
  term = (id: string): Term | undefined => this.termNumber.get(id);

  /** All terms above, nearest the top first; `self` puts the term itself last. */
  ancestors(start: Iterable<Term>, self = false): Term[] {
    const found = new Set<Term>();
    const stack: Term[] = [];
    for (const term of start) stack.push(...(self ? [term] : this.terms.parents[term]));
    while (stack.length) {
      const term = stack.pop()!;
      if (found.has(term)) continue;
      found.add(term);
      stack.push(...this.terms.parents[term]);
    }
    return [...found].sort((a, b) => this.terms.depth[a] - this.terms.depth[b] || a - b);
  }


  // Rows ---------------------------------------------------------------------------

  row = (id: string): Row | undefined => this.rowNumber.get(id);

  /** The terms that hold for a row as far as anyone knew, with all above them. */
  known = (row: Row): Set<Term> => new Set(this.ancestors(this.rows.known[row], true));

  /** How many they are but for uninformative roots; tables ask for it again and again. */
  nKnown(row: Row): number {
    this.knownCounts[row] ??= [...this.known(row)].filter((term) => !this.terms.is_uninformative[term]).length;
    return this.knownCounts[row];
  }

  /** All terms that are shown with a row. */
  shown = (row: Row): Prediction[] => [...this.rows.predicted[row], ...this.rows.others[row]];

  isPredicted = (row: Row, term: Term): boolean => this.rows.predicted[row].some(([one]) => one === term);

  /** The rows with a probability for a term, the highest first. */
  rowsOf(term: Term): [Row, Prediction][] {
    const found: [Row, Prediction][] = [];
    this.rows.id.forEach((_, row) => {
      for (const prediction of this.shown(row)) if (prediction[0] === term) found.push([row, prediction]);
    });
    return found.sort((a, b) => b[1][1] - a[1][1]);
  }
}

function firstPlaces(ids: string[]): Map<string, number> {
  const places = new Map<string, number>();
  ids.forEach((id, place) => places.has(id) || places.set(id, place));
  return places;
}
