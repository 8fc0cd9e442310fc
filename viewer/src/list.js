// The findings, worst first: a list box with filters, for the mouse, the keyboard and screen readers alike.

import { el, nameOf, printable } from './dom.js';
import { FILTERS, matches, PROPERTIES, STATES } from './findings.js';
import { counted, grouped, short } from './numbers.js';
import { STATUSES } from './review.js';
import { fileName } from './share.js';
import { VirtualList } from './virtual.js';

const ROW = 58;

/** What the filters of properties are called. */
const LABELS = { kind: 'Kind', life: 'Since last run', cluster: 'Cluster' };

/** A filter that everything passes. */
const everything = () => ({ words: [], states: new Set(Object.keys(FILTERS)), body: null, group: null, kind: null, life: null, cluster: null, from: -Infinity, to: Infinity });

/** Nobody reads more notes than this. */
const MOST_NOTES = 200;

/** Names of meshes, with one for all parts of a body. */
function byBody(names) {
  const parts = new Map();
  for (const name of names) {
    const body = name.replace(/, part \d+$/, '');
    parts.set(body, [...(parts.get(body) ?? []), name]);
  }
  return [...parts].map(([body, all]) => (all.length === 1 ? all[0] : `${body} (${all.length} parts)`));
}

export class FindingList {
  /** `onSelect(finding)` is called for what the reader chooses. */
  constructor(report, findings, review, onSelect) {
    this.findings = findings;
    this.review = review;
    /** How many there are in all; the page has the worst of them. */
    const { overlaps = 0, undecided = 0, within = 0, impacts = 0 } = report;
    this.total = Math.max(overlaps + undecided + within + impacts, findings.length);
    this.onSelect = onSelect;
    this.selected = null;
    this.filter = everything();
    this.box = el('div', {
      id: 'list', class: 'rows', role: 'listbox', tabIndex: 0, 'aria-label': 'Findings, worst first',
      onkeydown: (event) => this.#key(event),
    });
    this.empty = el('p', { class: 'empty' });
    this.count = el('p', { class: 'count', role: 'status' });
    this.element = el('section', { id: 'findings', 'aria-label': 'Findings' }, this.#head(report), this.#filters(report), this.count, this.box, this.empty);
    this.rows = new VirtualList(this.box, ROW, (finding, place) => this.#row(finding, place));
    this.apply();
  }

  #head(report) {
    const parts = [counted(report.bodies.length, 'body', 'bodies'), `${counted(report.checked ?? 0, 'pair', 'pairs')} checked`];
    if (report.until !== null && report.until !== undefined) parts.push(`until ${report.until} s`);
    const tallies = [
      ['overlap', report.overlaps, 'overlap', 'overlaps'],
      ['collision', report.impacts, 'collision', 'collisions'],
      ['undecided', report.undecided, 'undecided', 'undecided'],
      ['gap', report.within, report.margin ? `within ${report.margin}` : 'within margin', report.margin ? `within ${report.margin}` : 'within margin'],
      ['overlap', report.too_close, `closer than ${report.fail_within}`, `closer than ${report.fail_within}`],
    ].filter(([state, count], index) => count > 0 || index === 0);
    // No overlap is good news only when nothing is undecided or too close.
    const none = report.undecided || report.too_close ? 'open' : 'none';
    return el('header', {},
      el('h1', {}, nameOf(report.title ?? 'Report')),
      el('p', { class: 'summary' }, parts.join(' · ')),
      el('p', { class: 'tallies' }, ...tallies.map(([state, count, one, many]) =>
        el('span', { class: `tally ${count ? state : none}` }, el('strong', {}, grouped(count ?? 0)), ` ${count === 1 ? one : many}`))),
      this.#notes(report));
  }

  /** What a reader should know about the meshes and files. */
  #notes({ shells = [], filled_holes: holes = [], notes = [] }) {
    const hole = ({ mesh, edges, perimeter, diameter, center }) => `${mesh}: a hole of ${edges} edges was filled near (${center.map((x) => short(x)).join(', ')}): perimeter ${short(perimeter)}, diameter ${short(diameter)}`;
    const lines = [...byBody(shells).map((name) => `${name}: not closed`), ...holes.map(hole), ...notes];
    if (lines.length === 0) return null;
    const items = lines.slice(0, MOST_NOTES).map((line) => el('li', {}, nameOf(line)));
    const more = lines.length > MOST_NOTES ? el('li', {}, `… and ${grouped(lines.length - MOST_NOTES)} more`) : null;
    return el('details', { class: 'notes' }, el('summary', {}, `${counted(lines.length, 'note', 'notes')} on meshes and files`), el('ul', {}, ...items, more));
  }

  #filters(report) {
    const changed = () => this.apply();
    const search = el('input', { type: 'search', id: 'search', placeholder: 'Search bodies and groups', 'aria-label': 'Search bodies and groups', autocomplete: 'off', spellcheck: false });
    search.addEventListener('input', () => {
      this.filter.words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      changed();
    });
    const present = new Set(this.findings.map((finding) => STATES[finding.state].filter));
    const states = Object.entries(FILTERS).filter(([state]) => present.has(state)).map(([state, word]) => {
      const box = el('input', { type: 'checkbox', checked: true, value: state });
      box.addEventListener('change', () => {
        this.filter.states[box.checked ? 'add' : 'delete'](state);
        changed();
      });
      return el('label', { class: `chip ${state}` }, box, el('span', { class: 'sign', 'aria-hidden': 'true' }, STATES[state].sign), word);
    });
    const choose = (id, label, options, set) => {
      const select = el('select', { id }, el('option', { value: '' }, 'all'), ...options.map(([value, text]) => el('option', { value: String(value) }, printable(text))));
      select.addEventListener('change', () => {
        set(select.value);
        changed();
      });
      return el('label', {}, label, select);
    };
    const involved = new Set(this.findings.flatMap(({ raw }) => [raw.a, raw.b]));
    const bodies = [...involved].map((index) => [index, report.bodies[index].name]).sort((x, y) => (x[1] < y[1] ? -1 : 1));
    const groups = [...new Set(report.bodies.map((body) => body.group).filter(Boolean))].sort();
    const properties = PROPERTIES.map((property) => {
      const values = [...new Set(this.findings.map(({ raw }) => raw[property]).filter(Boolean))].sort();
      const set = (value) => { this.filter[property] = value === '' ? null : values[Number(value)]; };
      return values.length ? choose(`filter-${property}`, LABELS[property], values.map((value, index) => [index, value]), set) : null;
    });
    const number = (label, set, none) => {
      const input = el('input', { type: 'text', inputMode: 'decimal', placeholder: 'any', 'aria-label': `Distance ${label}`, autocomplete: 'off' });
      input.addEventListener('input', () => {
        const value = Number(input.value.replace(',', '.').trim());
        const bad = input.value.trim() !== '' && !Number.isFinite(value);
        input.setAttribute('aria-invalid', String(bad));
        set(input.value.trim() === '' || bad ? none : value);
        changed();
      });
      return el('label', {}, label, input);
    };
    this.form = el('form', { class: 'filters', onsubmit: (event) => event.preventDefault(), onreset: () => this.#reset() },
      search,
      states.length > 1 ? el('div', { class: 'chips', role: 'group', 'aria-label': 'States' }, ...states) : null,
      el('details', {},
        el('summary', {}, 'More filters, export'),
        el('div', { class: 'more' },
          choose('filter-body', 'Body', bodies, (value) => { this.filter.body = value === '' ? null : Number(value); }),
          groups.length ? choose('filter-group', 'Group', groups.map((group, index) => [index, group]), (value) => { this.filter.group = value === '' ? null : groups[Number(value)]; }) : null,
          ...properties,
          el('div', { class: 'range', role: 'group', 'aria-label': 'Distance' }, number('from', (x) => { this.filter.from = x; }, -Infinity), number('to', (x) => { this.filter.to = x; }, Infinity)),
          el('div', { class: 'buttons' }, el('button', { type: 'reset' }, 'Clear filters'), this.review.exportButton(`review-of-${fileName(report.title ?? 'report', 'json')}`)))));
    return this.form;
  }

  #reset() {
    Object.assign(this.filter, everything());
    // The fields themselves are reset after this event.
    this.apply();
  }

  apply() {
    this.shown = this.findings.filter((finding) => matches(finding, this.filter));
    this.rows.setItems(this.shown);
    const all = this.findings.length;
    const listed = this.total > all ? `the worst ${grouped(all)} of ${counted(this.total, 'finding', 'findings')}` : `${counted(all, 'finding', 'findings')}, worst first`;
    this.count.textContent = this.shown.length === all ? listed : `${grouped(this.shown.length)} of ${listed}`;
    this.count.hidden = all === 0;
    this.box.hidden = this.shown.length === 0;
    this.form.hidden = all === 0;
    this.empty.hidden = this.shown.length > 0;
    this.empty.textContent = all === 0 ? 'No pair overlaps or is within the margin.' : 'No finding passes the filters.';
    this.#mark();
  }

  #row(finding, place) {
    const { word, sign, filter } = STATES[finding.state];
    const status = STATUSES[this.review.of(finding).status];
    const names = (body) => el('span', { class: 'body' }, el('span', { class: 'end' }, nameOf(body.label, { title: printable(body.name) })), body.group ? el('small', {}, nameOf(body.group)) : null);
    return el('div', {
      id: `finding-${finding.index}`, class: `row ${filter}`, role: 'option',
      'aria-selected': String(finding === this.selected), 'aria-posinset': place + 1, 'aria-setsize': this.shown.length,
      'aria-label': printable(finding.sentence),
      onclick: () => this.onSelect(finding),
    },
    el('span', { class: 'state' }, el('span', { class: 'sign' }, sign), word, finding.raw.life && finding.raw.life !== 'persistent' ? el('small', { class: 'life' }, finding.raw.life) : null, status.sign ? el('span', { class: 'said', title: status.word }, status.sign) : null),
    el('span', { class: 'pair' }, names(finding.a), names(finding.b)),
    el('span', { class: 'number' }, el('strong', {}, finding.rowNumber), el('small', {}, finding.rowProof)));
  }

  /** Marks a finding as the chosen one; null for none. */
  select(finding) {
    this.selected = finding;
    this.rows.refresh();
    this.#mark();
    const place = this.shown.indexOf(finding);
    if (place >= 0) this.rows.reveal(place);
  }

  #mark() {
    const isShown = this.selected && this.shown.includes(this.selected);
    if (isShown) this.box.setAttribute('aria-activedescendant', `finding-${this.selected.index}`);
    else this.box.removeAttribute('aria-activedescendant');
  }

  /** Chooses the finding so many rows on. */
  move(step) {
    // Before the first one where none is chosen, so that a step leads to it.
    const now = this.shown.indexOf(this.selected);
    const next = Math.min(Math.max(now + step, 0), this.shown.length - 1);
    if (this.shown[next]) this.onSelect(this.shown[next]);
  }

  #key(event) {
    const page = Math.max(Math.floor(this.box.clientHeight / ROW) - 1, 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) this.move(steps[event.key]);
    else if ((event.key === 'Enter' || event.key === ' ') && this.selected) this.onSelect(this.selected);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
