// What a finding says: its state, the distance to show, and the words for both.

import { exact, interval, lowerBound, short, upperBound } from './numbers.js';

/** States, worst first, with the words and the sign of each. Signs differ in form, so that colours are not needed to tell them apart. */
export const STATES = {
  overlap: { word: 'Overlap', sign: '✕', filter: 'overlap' },
  collision: { word: 'Collision', sign: '▲', filter: 'collision' },
  graze: { word: 'Graze', sign: '△', filter: 'collision' },
  undecided: { word: 'Undecided', sign: '?', filter: 'undecided' },
  gap: { word: 'Gap', sign: '●', filter: 'gap' },
  clear: { word: 'Clear', sign: '○', filter: 'clear' },
};

/** The states that can be filtered by, and what they are called. */
export const FILTERS = { overlap: 'Overlaps', collision: 'Collisions', undecided: 'Undecided', gap: 'Gaps', clear: 'Clear' };

/** Properties of a finding that can be filtered by, where a report has them. */
export const PROPERTIES = ['kind', 'life', 'cluster'];

/** A finding of the report with what lists and details show. */
export class Finding {
  constructor(report, index) {
    const raw = report.findings[index];
    this.index = index;
    this.raw = raw;
    this.a = report.bodies[raw.a];
    this.b = report.bodies[raw.b];
    this.state = raw.state;
    this.hit = raw.impact && typeof raw.impact === 'object' ? raw.impact : null;
    [this.distance, this.lower, this.upper] = this.#best();
    const { kind = '', life = '', cluster = '' } = raw;
    const names = [this.a.name, this.b.name, this.a.group ?? '', this.b.group ?? '', kind, life, cluster];
    this.searchable = names.join('\n').toLowerCase();
  }

  /** The signed distance to show and its bounds; over time that of the closest approach. */
  #best() {
    const { raw, hit } = this;
    if (raw.closest_approach) {
      const { lower, upper } = raw.closest_approach;
      return [upperBound(upper), lowerBound(lower), upperBound(upper)];
    }
    if (hit) return [0, 0, 0];
    return [raw.distance ?? -Infinity, ...this.bounds];
  }

  /** The bracket of the distance. Of two half-spaces that no way leads out of, it is minus infinity at both ends. */
  get bounds() {
    const { distance, lower, upper } = this.raw;
    return distance === null ? [-Infinity, -Infinity] : [lowerBound(lower), upperBound(upper)];
  }

  /** The bracket of the depth, if there is one. */
  get depthBounds() {
    const { distance, depth } = this.raw;
    if (!depth) return null;
    return distance === null ? [Infinity, Infinity] : [depth.lower ?? 0, upperBound(depth.upper)];
  }

  get isOverlap() {
    return this.state === 'overlap';
  }

  /** Is the depth of an overlap known between bounds only? The distance is then minus the lower one. */
  get isOpen() {
    return this.isOverlap && this.raw.status !== 'converged' && short(this.distance) !== short(this.lower);
  }

  /** Can it not be told from a gap? `clearance check` says that such bodies touch. */
  get isTouch() {
    return this.isOverlap && (this.lower === 0 || this.upper > 0);
  }

  /** When it is to be looked at: at its impact, or where the bodies come closest. */
  get time() {
    if (this.hit) return this.hit.time;
    return this.raw.closest_approach?.time || 0;
  }

  /** The distance in a list. */
  get number() {
    if (this.hit) return `at ${short(this.hit.lower ?? this.hit.time, 6)} s`;
    return this.isOpen ? `${short(this.distance)} to ${short(this.lower)}` : short(this.distance);
  }

  /** The ends of an open bracket with as few digits as tell them apart; null where it is closed. */
  get #ends() {
    if (!this.isOpen || this.hit) return null;
    return [2, 3, 4].map((digits) => [short(this.distance, digits), short(this.lower, digits)]).find(([one, other]) => one !== other) ?? null;
  }

  /** The distance in the head of the details. */
  get brief() {
    return this.#ends?.join(' to ') ?? this.number;
  }

  /** The distance in a row of a list, where names need the room: of an open bracket its nearer end. */
  get rowNumber() {
    return this.#ends?.[0] ?? this.number;
  }

  /** How well it is known, in a row of a list: the other end of an open bracket, or half of a closed one. */
  get rowProof() {
    const ends = this.#ends;
    return ends ? `to ${ends[1]}` : this.proved;
  }

  /** How well it is known, in a list. */
  get proved() {
    const { hit } = this;
    if (this.state === 'graze') return 'not before';
    if (hit) return short(hit.lower) === short(hit.upper) ? interval(hit.lower, hit.lower, hit.upper) : `${short(hit.lower, 6)} … ${short(hit.upper, 6)}`;
    return interval(this.distance, this.lower, this.upper);
  }

  /** The translation that frees A, or null where none is known. */
  get escape() {
    const { raw } = this;
    if (!this.isOverlap) return null;
    const given = raw.depth?.upper === null ? null : raw.depth?.translation;
    if (given && given.some((x) => x !== 0)) return given;
    const depth = -(raw.lower ?? raw.distance);
    return depth > 0 && Number.isFinite(depth) ? raw.normal.map((x) => -x * depth) : null;
  }

  /** The body that may be inside of the other, which is open; null where that is not the question. */
  get inner() {
    const { raw } = this;
    return { 'a may be inside an open surface': raw.a, 'b may be inside an open surface': raw.b }[raw.undecided] ?? null;
  }

  /** One sentence, for those who listen. */
  get sentence() {
    const names = `${this.a.name} and ${this.b.name}`;
    if (this.hit) return `${STATES[this.state].word}: ${names}, ${this.number}, ${this.proved}`;
    if (this.raw.undecided) return `Undecided: ${names}, ${this.raw.undecided}`;
    const word = this.isTouch ? 'Touch' : STATES[this.state].word;
    return `${word}: ${names}, distance ${this.number}, proved ${this.proved}`;
  }

  /** The finding with names for indices, as a pair of `clearance check --json`. */
  toJSON() {
    const { raw } = this;
    const fields = ['overlap', 'distance', 'point_a', 'point_b', 'normal', 'lower', 'upper', 'status', 'state', 'undecided', 'depth', 'impact', 'closest_approach', 'id', 'kind', 'life', 'cluster', 'review'];
    const written = { a: this.a.name, b: this.b.name };
    for (const field of fields) if (raw[field] !== undefined) written[field] = raw[field];
    return written;
  }
}

/** What a status means. */
export function statusWords(status) {
  const words = {
    converged: 'the bracket is closed',
    open: 'the bracket is open',
    stalled: 'the search stopped early; the bracket holds',
    bad_support: 'a shape broke its contract; nothing is known',
  };
  return words[status] ?? String(status);
}

/** Why a depth is open, by the name of its end. */
export function endWords(end) {
  const words = {
    nodes: 'the search used up its nodes; --nodes gives it more',
    seconds: 'the time of the search was over',
    stuck: 'no more could be proved',
    no_interior: 'a body has no interior: its surface is open or flat',
    crosses_itself: 'the surface of a body crosses itself: sheets inside of it keep the bounds apart',
  };
  return words[end] ?? String(end);
}

/** "[lower, upper]" with every digit. */
export const bracket = (lower, upper) => `[${exact(lower)}, ${exact(upper)}]`;

/** Which findings pass a filter; `filter` has the fields of the form in `list.js`. */
export function matches(finding, filter) {
  if (!filter.states.has(STATES[finding.state].filter)) return false;
  if (filter.body !== null && finding.raw.a !== filter.body && finding.raw.b !== filter.body) return false;
  if (PROPERTIES.some((property) => filter[property] !== null && finding.raw[property] !== filter[property])) return false;
  if (filter.group !== null && finding.a.group !== filter.group && finding.b.group !== filter.group) return false;
  if (finding.distance < filter.from || finding.distance > filter.to) return false;
  return filter.words.every((word) => finding.searchable.includes(word));
}
