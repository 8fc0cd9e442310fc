// Numbers as the program prints them: four significant digits in lists, every digit in details.

/** Significant digits of lengths in lists. */
export const DIGITS = 4;

/** A bound of the report: null is infinite, on the side it bounds. */
export const lowerBound = (x) => (x === null || x === undefined ? -Infinity : x);
export const upperBound = (x) => (x === null || x === undefined ? Infinity : x);

/** A number with that many significant digits, as `clearance check` prints it. */
export function short(x, digits = DIGITS) {
  if (Number.isNaN(x)) return '?';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '-∞';
  if (x === 0) return '0';
  const exponent = Math.floor(Math.log10(Math.abs(x)));
  if (exponent < -4 || exponent >= 6) return x.toExponential(digits - 1).replace('e+', 'e');
  const text = x.toFixed(Math.max(digits - 1 - exponent, 0));
  return text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text;
}

/** The proved interval: its half width when the digits shown cannot tell its ends apart, else both ends. */
export function interval(value, lower, upper) {
  const first = short(lower);
  const last = short(upper);
  if (first !== last) return `${first} … ${last}`;
  const width = Math.max(value - lower, upper - value);
  return width > 0 ? `± ${scientific(width)}` : 'exact';
}

const scientific = (x) => x.toExponential(0).replace('e+', 'e');

/** Every digit: the shortest text that reads back as the same number. */
export function exact(x) {
  if (!Number.isFinite(x)) return short(x);
  return Object.is(x, -0) ? '0' : String(x).replace('e+', 'e');
}

export const exactVector = (v) => `(${v.map(exact).join(', ')})`;

/** "1 body", "12 bodies", with groups of three digits. */
export const counted = (n, one, many) => `${grouped(n)} ${n === 1 ? one : many}`;
export const grouped = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');

/** How close a bracket is, in words. */
export function proof(lower, upper) {
  if (lower === upper) return 'exact';
  if (!Number.isFinite(lower) || !Number.isFinite(upper)) return 'one side of the bracket is open';
  const width = (upper - lower) / 2;
  // An open bracket is not a number with an error; its ends are what is known.
  if (width > 1e-6 * Math.max(Math.abs(lower), Math.abs(upper)) && short(lower) !== short(upper) && lower * upper > 0) return `proved to be between these, which are ${short(2 * width)} apart`;
  return width > 0 ? `proved to ${scientific(width)}` : 'exact';
}
