// What Python gives to the page. Indices are those of `terms` and `rows`.

export type Missing<T> = T | null;
type Name = string;
export type Term = number;
export type Row = number;

export interface Score {
  measure: Name;
  model: Missing<number>;
  constant: Missing<number>;
  better: "higher" | "lower";
}

export interface Candidate {
  name: Name;
  score: Missing<number>;
  seconds: Missing<number>;
  uses_unlabeled: boolean;
  status: "kept" | "tried" | "skipped" | "failed";
  /** Its weight in the mean. */
  share: number;
  /** Why it was skipped or failed, and about how long it would have taken. */
  reason: string;
  expected_seconds: Missing<number>;
}

export interface PrecisionRecall {
  label: Name;
  recall: number[];
  precision: number[];
  average_precision: Missing<number>;
  /** Of the constant predictor, on the same terms. */
  constant: Missing<number>;
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
  picture: Missing<{ source: string; alt: string; note: string }>;
}

export interface Summary {
  method: Name;
  /** What it predicts from what, in a few words. */
  predicts: string;
  /** The parameters that were chosen; all others are defaults. */
  settings: Record<Name, unknown>;
  facts: [Name, string][];
  /** How the model was made, and why, in sentences. */
  choices: string[];
  warnings: string[];
  /** Which terms a row gets, and how often that is right. */
  decision: string;
  /** What unlabelled rows gave. */
  unlabeled: Missing<string>;
  pseudo_labels: Missing<PseudoLabels>;
  scores: Score[];
  candidates: Candidate[];
  curves: { precision_recall: PrecisionRecall[]; reliability: Reliability[] };
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
  /** The probability from which a row gets the term, and how often that is right. */
  threshold: number[];
  precision: Missing<number>[];
  recall: Missing<number>[];
  features: Missing<Missing<[Name, number][]>[]>;
  /** What their weights are. */
  features_are: Missing<string>;
  /** Roots that nearly all rows have, which are neither predicted nor measured. */
  is_uninformative: boolean[];
}

/** The precision is that of all predictions at least as probable, of any term. */
export type Prediction = [term: Term, probability: number, precision: Missing<number>];

export interface Neighbor {
  id: Name;
  distance: Missing<number>;
  labels: Term[];
  /** Whether its labels were known, rather than given by the model. */
  labels_given: boolean;
  /** Which part of the model looks at it. */
  found_by: Name;
  /** Whether the distance is the share of trees that tell the rows apart. */
  shares_leaves: boolean;
}

/** A split of a tree, and the number of training rows that came so far. */
export interface Split {
  decision: string;
  value: Missing<number>;
  rows: number;
}

/** A feature that many trees of a forest test on the row's way. */
export interface FeatureTest {
  feature: Name;
  value: Missing<number>;
  share: number;
  median_threshold: Missing<number>;
}

export interface Evidence {
  neighbors: Neighbor[];
  /** The share of the neighbours with each term. */
  votes: [Term, number][];
  /** What trees test on the row's way: the same for all its terms. */
  splits: Split[];
  tests: FeatureTest[];
  /** The member of a blend that has the trees. */
  path_of: Name;
  /** What features add to the log odds of a term. */
  contributions: [Term, [Name, number][]][];
  contributions_of: Name;
  members: { name: Name; share: number; scores: [Term, number][] }[];
}

/** Columns, one entry per row that is on the page. */
export interface Rows {
  id: Name[];
  known: Term[][];
  negative: Term[][];
  /** The terms that each row gets, and others that are shown with it. */
  predicted: Prediction[][];
  others: Prediction[][];
  /** Terms that each row gets, on the page or not, and new ones of them. */
  n_predicted: number[];
  n_new: number[];
  /** The new term that Check first would name. */
  most_informative: Missing<Term>[];
  state: ("labelled" | "unlabelled" | "new")[];
  /** Where the probabilities come from. */
  scored: ("out of fold" | "by the model" | "by the model, which was trained on its labels")[];
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
  overall_threshold: number;
  rows: Rows;
  to_check: {
    new: ToCheck[];
    surprising: ToCheck[];
    label_next: [row: Row, uncertainty: number][];
  };
}
