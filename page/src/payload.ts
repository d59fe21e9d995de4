// What Python gives to the page. Indices are those of `terms` and `rows`.

export type Missing<T> = T | null;
type Name = string;
export type Term = number;
export type Row = number;

export interface Score {
  measure: Name;
  model: Missing<number>;
  constant: Missing<number>;
  higher_is_better: boolean;
}

export interface Candidate {
  name: Name;
  score: Missing<number>;
  seconds: Missing<number>;
  uses_unlabelled: Missing<boolean>;
  taken: boolean;
  weight: Missing<number>;
  /** Why it was not taken, if there is more to say than its score. */
  remark?: string;
}

export interface PrecisionRecall {
  label: Name;
  recall: number[];
  precision: number[];
  average_precision: Missing<number>;
  /** Of the constant predictor, on the same terms. */
  constant?: Missing<number>;
  frequency: Missing<number>;
}

export interface Reliability {
  label: Name;
  said: number[];
  true: number[];
  count: number[];
}

/** What the method did with the unlabelled rows. */
export interface PseudoLabels {
  said: string;
  /** "pass", "round" or "batch", and its plural. */
  step: Name;
  steps: Name;
  history: Record<string, number>[];
  /** An image as an address that contains it. */
  picture?: Missing<{ source: string; alt: string; note: string }>;
}

export interface Summary {
  method: Name;
  /** What it predicts from what, in a few words. */
  predicts: string;
  settings: string;
  facts: [Name, string][];
  warnings: string[];
  worth: Missing<string>;
  pseudo_labels?: Missing<PseudoLabels>;
  scores: Score[];
  candidates: Missing<Candidate[]>;
  curves: Missing<{
    precision_recall: Missing<PrecisionRecall[]>;
    reliability: Missing<Reliability[]>;
  }>;
}

/** Columns, one entry per term; children come after their parents. */
export interface Terms {
  id: Name[];
  name: Missing<Name>[];
  aspect: Missing<Missing<Name>[]>;
  depth: number[];
  parents: Term[][];
  rows: Missing<number>[];
  frequency: Missing<number>[];
  ap: Missing<number>[];
  /** Whether rows are told apart better than by chance. */
  reliable: Missing<boolean>[];
  calibration_error: Missing<number>[];
  threshold: Missing<number>[];
  features: Missing<Missing<[Name, number][]>[]>;
  /** What their weights are. */
  features_are?: Missing<string>;
  is_root: boolean[];
}

/** The precision is that of all predictions at least as probable, of any term. */
export type Prediction = [term: Term, probability: number, precision: Missing<number>];

export interface Neighbor {
  id: Name;
  distance: Missing<number>;
  labels: Term[];
  /** Whether its labels were known, rather than given by the model. */
  labelled: boolean;
  /** Which part of the model looks at it, where several do. */
  seen_by?: Missing<string>;
}

export interface Evidence {
  neighbours: Missing<Neighbor[]>;
  votes: Missing<[Term, number][]>;
  /** What trees test on the row's way: the same for all its terms. */
  decisions: Missing<string[]>;
  /** What features add to a term. */
  sums?: Missing<[Term, string][]>;
  candidates: Missing<{ name: Name; scores: [Term, number][] }[]>;
}

/** Columns, one entry per row that is on the page. */
export interface Rows {
  id: Name[];
  known: Term[][];
  negative: Term[][];
  predicted: Prediction[][];
  /** Predicted since a descendant reaches its threshold, though they do not reach their own. */
  implied: Term[][];
  /** Terms that each row is predicted to have, on the page or not, and new ones of them. */
  n_predicted: number[];
  n_new: number[];
  /** The new term that Check first would name. */
  most_informative: Missing<Term>[];
  state: ("labelled" | "unlabelled" | "new")[];
  oof: boolean[];
  evidence: Missing<Evidence>[];
}

/** The list is in the order of the worth. */
export type ToCheck = [row: Row, term: Term, probability: number, precision: Missing<number>, worth: number];

export interface Payload {
  kind: "model";
  title: string;
  version: string;
  made: string;
  left_out: string[];
  summary: Summary;
  measured_on: Missing<string>;
  terms: Terms;
  /** Of terms that have none of their own. */
  overall_threshold: Missing<number>;
  rows: Rows;
  to_check: {
    new: ToCheck[];
    surprising: ToCheck[];
    label_next: [row: Row, uncertainty: number][];
  };
}
