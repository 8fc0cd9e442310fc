// What a reader says about findings: a status and a comment each, kept in this browser and exported as JSON.

import { button, el } from './dom.js';

/** Statuses, and the sign that a row of the list shows. */
export const STATUSES = {
  open: { word: 'Open', sign: '' },
  fix: { word: 'To fix', sign: '⚑' },
  fixed: { word: 'Fixed', sign: '✔' },
  accepted: { word: 'Accepted', sign: '≈' },
};

/** Long enough for a paragraph; browsers keep a few megabytes. */
const LONGEST = 4000;

export class Review {
  /** `changed(finding)` follows every change. */
  constructor(report, changed) {
    this.report = report;
    this.changed = changed;
    this.key = `clearance-review/${report.title ?? ''}`;
    this.entries = new Map();
    try {
      for (const [pair, entry] of Object.entries(JSON.parse(localStorage.getItem(this.key) ?? '{}'))) {
        const status = Object.hasOwn(STATUSES, entry?.status) ? entry.status : 'open';
        this.entries.set(pair, { status, comment: String(entry?.comment ?? '').slice(0, LONGEST) });
      }
    } catch {
      // A browser may keep nothing of pages that are files, or something else is kept there.
    }
  }

  #pair({ a, b }) {
    return JSON.stringify([a.name, b.name]);
  }

  /** What this browser knows, else what the report says. */
  of(finding) {
    const given = finding.raw.review;
    const status = Object.hasOwn(STATUSES, given?.status) ? given.status : 'open';
    return this.entries.get(this.#pair(finding)) ?? { status, comment: String(given?.comment ?? '').slice(0, LONGEST) };
  }

  #set(finding, change) {
    const entry = { ...this.of(finding), ...change };
    if (entry.status === 'open' && entry.comment === '' && !finding.raw.review) this.entries.delete(this.#pair(finding));
    else this.entries.set(this.#pair(finding), entry);
    try {
      localStorage.setItem(this.key, JSON.stringify(Object.fromEntries(this.entries)));
    } catch {
      // It lasts as long as the page then; the export has it all the same.
    }
    this.changed(finding);
  }

  /** The fields for one finding. */
  form(finding) {
    const { status, comment } = this.of(finding);
    const select = el('select', { id: 'review-status' }, ...Object.entries(STATUSES).map(([value, { word }]) => el('option', { value, selected: value === status }, word)));
    select.addEventListener('change', () => this.#set(finding, { status: select.value }));
    const text = el('textarea', { id: 'review-comment', rows: 2, maxLength: LONGEST, placeholder: 'Comment', 'aria-label': 'Comment', value: comment });
    text.addEventListener('input', () => this.#set(finding, { comment: text.value }));
    return el('div', { class: 'review' }, el('label', {}, 'Status', select), text);
  }

  /** All that was said, with the pairs as the report has them. */
  toJSON() {
    const findings = [...this.entries].map(([pair, entry]) => {
      const [a, b] = JSON.parse(pair);
      return { a, b, ...entry };
    });
    return { format: 'clearance-review/1', title: this.report.title ?? null, findings };
  }

  /** Saves it as a file. */
  save(name) {
    const address = URL.createObjectURL(new Blob([`${JSON.stringify(this, null, 2)}\n`], { type: 'application/json' }));
    el('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  /** The button that saves it. */
  exportButton(name) {
    return button('Export statuses and comments', () => this.save(name));
  }
}
