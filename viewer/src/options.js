// How the scene is shown: opacity, pieces, the up axis; and the section, which has its own file.

import { el } from './dom.js';

const AXES = { '+x': [1, 0, 0], '+y': [0, 1, 0], '+z': [0, 0, 1], '-x': [-1, 0, 0], '-y': [0, -1, 0], '-z': [0, 0, -1] };

export class Options {
  /** `on` has opacity(x), pieces({which, spread}), up(vector), rest(isGhosted), edges(isShown). */
  constructor(report, section, on) {
    const opacity = el('input', { type: 'range', id: 'opacity', min: 0.1, max: 1, step: 0.01, value: 1 });
    opacity.addEventListener('input', () => on.opacity(Number(opacity.value)));
    this.rest = el('select', {}, el('option', { value: 'ghost' }, 'as ghosts'), el('option', { value: 'plain' }, 'as they are'), el('option', { value: 'hidden' }, 'not at all'));
    this.rest.addEventListener('change', () => on.rest(this.rest.value));
    const edges = el('input', { type: 'checkbox', checked: true });
    edges.addEventListener('change', () => on.edges(edges.checked));
    const names = Object.keys(AXES);
    const given = names.find((name) => AXES[name].every((x, i) => Math.abs(x - report.up[i]) < 1e-9));
    const up = el('select', { id: 'up' }, given ? null : el('option', { value: '' }, 'as given'), ...names.map((name) => el('option', { value: name, selected: name === given }, name)));
    up.addEventListener('change', () => on.up(AXES[up.value] ?? report.up));
    this.which = el('select', { id: 'pieces' }, el('option', { value: 'none' }, 'off'), el('option', { value: 'pair' }, 'of the chosen pair'), el('option', { value: 'all' }, 'of all bodies'));
    this.spread = el('input', { type: 'range', min: 0, max: 1, step: 0.01, value: 0 });
    const pieces = () => {
      this.apart.hidden = this.which.value === 'none';
      on.pieces({ which: this.which.value, spread: Number(this.spread.value) });
    };
    this.tellPieces = pieces;
    this.which.addEventListener('change', pieces);
    this.spread.addEventListener('input', pieces);
    this.apart = el('label', { hidden: true }, 'apart', this.spread);
    const hasPieces = report.bodies.some((body) => report.shapes[body.shape].pieces?.length);
    this.element = el('section', { id: 'options', 'aria-label': 'View' },
      el('fieldset', {}, el('legend', {}, 'Bodies'), el('label', {}, 'opacity', opacity), el('label', {}, 'others than the pair', this.rest), el('label', { class: 'check' }, edges, 'edges'), el('label', {}, 'up axis', up)),
      section?.element ?? null,
      hasPieces ? el('fieldset', {}, el('legend', {}, 'Convex pieces'), el('label', {}, 'show', this.which), this.apart) : null,
      el('fieldset', { class: 'legend' }, el('legend', {}, 'Signs'),
        ...[['overlap', 'striped: overlaps or collides'], ['undecided', 'dotted: undecided'], ['a', 'A: the first body of the chosen pair'], ['b', 'B: the second body']].map(([look, words]) => el('p', {}, el('span', { class: `swatch ${look}` }), words))),
      el('p', { class: 'program' }, report.program ? `Written by ${report.program}.` : ''));
  }

  /** Turns the pieces of the pair on, or off again. */
  togglePieces() {
    this.which.value = this.which.value === 'none' ? 'pair' : 'none';
    this.tellPieces();
  }
}
