// A plane that cuts bodies open: along an axis, along the normal of the chosen pair, or through the pair and facing the reader.

import { Vector3 } from 'three';
import { button, el } from './dom.js';
import { short } from './numbers.js';

const AXES = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };

export class Section {
  /** `on.change(plane)` gets {normal, offset} in units of the scene, or null. */
  constructor(scene, camera, on) {
    this.scene = scene;
    this.camera = camera;
    this.on = on;
    this.finding = null;
    this.flipped = false;
    this.normal = null;
    this.select = el('select', { id: 'section-axis' },
      el('option', { value: '' }, 'off'), el('option', { value: 'x' }, 'across x'), el('option', { value: 'y' }, 'across y'), el('option', { value: 'z' }, 'across z'),
      el('option', { value: 'pair' }, 'across the pair’s normal'), el('option', { value: 'view' }, 'facing me'));
    this.slider = el('input', { type: 'range', id: 'section-place', min: -1, max: 1, step: 0.001, value: 0, 'aria-label': 'Place of the section' });
    this.place = el('output', { for: 'section-place' });
    this.select.addEventListener('change', () => this.choose(this.select.value));
    this.slider.addEventListener('input', () => this.#tell());
    this.more = el('div', { class: 'more', hidden: true }, el('label', {}, 'place', this.slider, this.place), button('Flip', () => {
      this.flipped = !this.flipped;
      this.#tell();
    }));
    this.element = el('fieldset', {}, el('legend', {}, 'Section'), el('label', {}, 'plane', this.select), this.more);
  }

  setFinding(finding) {
    this.finding = finding;
    const pair = this.select.querySelector('[value=pair]');
    pair.disabled = !finding;
    if (!finding && this.select.value === 'pair') this.choose('');
  }

  /** Chooses a direction; the plane begins in the middle of what is looked at. */
  choose(axis, through = null) {
    this.select.value = axis;
    this.more.hidden = axis === '';
    this.normal = axis === '' ? null : this.#normal(axis);
    if (this.normal) {
      // What is in front is cut away, so that the reader sees the cut.
      this.flipped = this.normal.dot(this.camera.direction()) < 0;
      const { center, radius } = this.scene.bounds();
      this.middle = this.normal.dot(center);
      this.reach = radius;
      const point = through ?? this.#pairPoint() ?? center;
      this.slider.value = (this.normal.dot(point) - this.middle) / this.reach;
    }
    this.#tell();
  }

  /** Through the chosen pair, towards the reader. */
  cutOpen() {
    this.choose('view', this.#pairPoint());
  }

  #pairPoint() {
    if (!this.finding) return null;
    const { point_a, point_b } = this.finding.hit ?? this.finding.raw;
    return this.scene.toScene(point_a).add(this.scene.toScene(point_b)).multiplyScalar(0.5);
  }

  #normal(axis) {
    if (AXES[axis]) return new Vector3(...AXES[axis]);
    if (axis === 'pair') return new Vector3(...(this.finding.hit ?? this.finding.raw).normal).normalize();
    return this.camera.direction();
  }

  #tell() {
    if (!this.normal) return this.on.change(null);
    const offset = this.middle + Number(this.slider.value) * this.reach;
    const { origin, radius } = this.scene.report;
    const along = this.normal.x * origin[0] + this.normal.y * origin[1] + this.normal.z * origin[2];
    this.place.textContent = short(along + offset * radius);
    const sign = this.flipped ? -1 : 1;
    this.on.change({ normal: this.normal.clone().multiplyScalar(sign), offset: sign * offset });
  }
}
