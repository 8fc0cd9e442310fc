// The chosen finding with every digit, and what can be done with it.

import { button, el, nameOf, printable } from './dom.js';
import { isShell } from './data.js';
import { bracket, endWords, STATES, statusWords } from './findings.js';
import { exact, exactVector, lowerBound, proof, upperBound } from './numbers.js';

const UP = 'M5 12.5l5-5 5 5';
const DOWN = 'M5 7.5l5 5 5-5';

export class Details {
  /** `actions` are those of the app: worst, move, review, free, copyJson, copyLink, isolate, fit, section, pieces. */
  constructor(report, actions) {
    this.report = report;
    this.actions = actions;
    this.element = el('section', { id: 'finding', 'aria-label': 'The chosen finding' });
    this.show(null);
  }

  show(finding) {
    this.finding = finding;
    this.freeButton = null;
    if (!finding) {
      const hint = this.report.findings.length ? 'Choose a finding in the list, or click a body, to see it here.' : 'Nothing was found. Bodies can be looked at, hidden and cut.';
      this.element.replaceChildren(el('p', { class: 'hint' }, hint));
      if (this.report.findings.length) this.element.append(button('Show the worst', () => this.actions.worst(), { class: 'primary' }));
      return;
    }
    const { sign, filter } = STATES[finding.state];
    const word = finding.isTouch ? 'Touch' : STATES[finding.state].word;
    this.element.replaceChildren(
      el('div', { class: 'head' },
        el('h2', { class: `state ${filter}` }, el('span', { class: 'sign', 'aria-hidden': 'true' }, sign), word, finding.isTouch || finding.raw.undecided ? null : el('strong', { class: 'value' }, finding.brief)),
        button('Previous finding', () => this.actions.move(-1), { drawing: UP }),
        button('Next finding', () => this.actions.move(1), { drawing: DOWN })),
      this.#bodies(finding),
      this.#buttons(finding),
      this.actions.review(finding),
      ...this.#numbers(finding));
    this.element.scrollTop = 0;
  }

  #bodies({ raw, a, b }) {
    const line = (letter, index, body) => el('li', { class: letter.toLowerCase() },
      el('span', { class: 'letter' }, letter),
      el('button', { type: 'button', class: 'link', title: 'Look at this body', onclick: () => this.actions.focus(index) }, nameOf(body.name)),
      el('small', {}, kindOf(this.report.shapes[body.shape]), body.group ? ' · ' : null, body.group ? nameOf(body.group) : null));
    return el('ul', { class: 'bodies' }, line('A', raw.a, a), line('B', raw.b, b));
  }

  #buttons(finding) {
    const { actions } = this;
    const has = (index) => Boolean(this.report.shapes[this.report.bodies[index].shape].pieces);
    const list = [];
    if (finding.escape) {
      this.freeButton = button('Separate', () => actions.free(), { class: 'primary', 'aria-pressed': 'false' });
      list.push(this.freeButton);
    }
    list.push(
      button('Zoom to', () => actions.fit(), { title: 'Look at the place where the two are closest' }),
      button('Isolate', () => actions.isolate(), { title: 'Show only these two bodies' }),
      button('Section', () => actions.section(), { title: 'A plane through the place cuts the bodies open' }));
    if (has(finding.raw.a) || has(finding.raw.b)) list.push(button('Convex pieces', () => actions.pieces()));
    list.push(button('Copy JSON', () => actions.copyJson()), button('Copy link', () => actions.copyLink()));
    return el('div', { class: 'buttons' }, ...list);
  }

  /** The button says what it does next. */
  setFree(isFree) {
    if (!this.freeButton) return;
    this.freeButton.textContent = isFree ? 'Move it back' : 'Separate';
    this.freeButton.setAttribute('aria-pressed', String(isFree));
  }

  #numbers(finding) {
    const { raw, hit } = finding;
    const unit = this.report.unit ? ` ${this.report.unit}` : '';
    const section = (title, rows) => [
      el('h3', {}, title),
      el('dl', {}, ...rows.filter(Boolean).flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])),
    ];
    const timed = this.report.until !== null && this.report.until !== undefined;
    const parts = [];
    if (raw.kind || raw.id) {
      parts.push(...section('Finding', [
        raw.kind ? ['kind', raw.kind] : null,
        raw.life ? ['since the last run', raw.life] : null,
        raw.cluster ? ['cluster', printable(raw.cluster)] : null,
        raw.id ? ['identifier', printable(raw.id)] : null,
      ]));
    }
    if (raw.undecided) {
      const open = finding.inner === null ? null : finding.inner === raw.a ? 'B' : 'A';
      const reason = raw.undecided.replace(/^[ab] /, (letter) => letter.toUpperCase());
      const more = open ? `: ${open} is a mesh that is not closed. --fill-holes closes its holes; --surfaces says that it encloses nothing.` : '.';
      parts.push(el('p', { class: 'reason' }, printable(reason) + more));
    }
    if (hit) {
      parts.push(...section(finding.state === 'graze' ? 'Graze' : 'Collision', [
        ['time', `${exact(hit.time)} s`],
        ['bracket', bracket(lowerBound(hit.lower), upperBound(hit.upper))],
        ['proof', hit.upper === null ? 'not before the lower bound; rounding cannot tell a graze from a miss' : proof(hit.lower, hit.upper)],
        ['point of A', exactVector(hit.point_a)],
        ['point of B', exactVector(hit.point_b)],
        ['direction A to B', exactVector(hit.normal)],
      ]));
    }
    if (raw.closest_approach) {
      const { time } = raw.closest_approach;
      const [lower, upper] = [raw.closest_approach.lower ?? 0, upperBound(raw.closest_approach.upper)];
      parts.push(...section('Closest approach', [
        ['bracket', bracket(lower, upper) + unit],
        ['proof', proof(lower, upper)],
        time === null || time === undefined ? null : ['time', `${exact(time)} s`],
      ]));
    }
    if (raw.depth) {
      const bounds = finding.depthBounds;
      parts.push(...section('Depth', [
        ['bracket', bracket(...bounds) + unit],
        ['proof', proof(...bounds)],
        raw.depth.end === undefined ? null : ['open because', endWords(raw.depth.end)],
        finding.escape ? ['A comes free by', exactVector(finding.escape)] : null,
      ]));
    }
    parts.push(...section(timed ? 'Distance at time 0' : 'Distance', [
      ['distance', exact(raw.distance ?? -Infinity) + unit],
      ['bracket', bracket(...finding.bounds) + unit],
      ['proof', `${proof(...finding.bounds)}; ${statusWords(raw.status)}`],
      ['point of A', exactVector(raw.point_a)],
      ['point of B', exactVector(raw.point_b)],
      ['direction A to B', exactVector(raw.normal)],
    ]));
    return parts;
  }
}

/** The kind of a shape, in words. */
const kindOf = (shape) => {
  if (isShell(shape)) return shape.kind === 'compound' ? 'compound with a shell: the surface of a part is open' : 'shell: its surface is open';
  return printable(shape.kind).replaceAll('_', '-');
};
