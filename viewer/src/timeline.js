// The time line of a check over time: play, scrub, marks where bodies meet, and a plot of the clearance.

import { button, el, icon, printable } from './dom.js';
import { short } from './numbers.js';

const PLAY = 'M6 4l10 6-10 6z';
const PAUSE = 'M6 4v12M14 4v12';
/** More marks than this cannot be told apart. */
const MARKS = 300;

const SVG = 'http://www.w3.org/2000/svg';

/** A curve over time as a drawing that fills its place: bounds of the clearance, the level that is proved, zero, and the time. */
class Plot {
  constructor(end, { points, proved }) {
    this.end = end;
    const values = [...points.flatMap(([, lower, upper]) => [lower, upper]), ...proved.map(([, , lower]) => lower), 0].filter(Number.isFinite);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const span = high - low || 1;
    const x = (time) => (100 * time) / end;
    const y = (value) => 100 - (100 * (value - low)) / span;
    const line = (kind, d) => {
      const path = document.createElementNS(SVG, 'path');
      path.setAttribute('class', kind);
      path.setAttribute('d', d);
      return path;
    };
    const curve = (list) => list.map(([time, value], i) => `${i ? 'L' : 'M'}${x(time).toFixed(3)} ${y(value).toFixed(3)}`).join('');
    const seen = points.filter(([, lower, upper]) => Number.isFinite(lower) && Number.isFinite(upper));
    const level = proved.filter(([, , lower]) => Number.isFinite(lower)).map(([from, to, lower]) => curve([[from, lower], [to, lower]])).join('');
    this.now = line('now', '');
    this.drawing = document.createElementNS(SVG, 'svg');
    this.drawing.setAttribute('viewBox', '0 0 100 100');
    this.drawing.setAttribute('preserveAspectRatio', 'none');
    this.drawing.append(line('zero', `M0 ${y(0)}H100`), line('proved', level), line('curve', curve(seen.map(([time, lower, upper]) => [time, (lower + upper) / 2]))), this.now);
    const least = seen.reduce((best, [, , upper]) => Math.min(best, upper), Infinity);
    const words = `Clearance over time: at least ${short(Math.min(...proved.map(([, , lower]) => lower).filter(Number.isFinite), Infinity), 4)} is proved on free edges, the least sampled is ${short(least, 4)}`;
    this.element = el('div', { class: 'plot', role: 'img', 'aria-label': words, title: words }, this.drawing, el('span', {}, `clearance ${short(low, 3)} to ${short(high, 3)}`));
  }

  set(time) {
    this.now.setAttribute('d', `M${(100 * time) / this.end} 0V100`);
  }
}

export class Timeline {
  /** `on.time(t)` is called whenever the time changes, `on.mark(finding)` when a mark is chosen. */
  constructor(end, findings, on, plot) {
    this.end = end;
    this.on = on;
    this.time = 0;
    this.isPlaying = false;
    this.last = null;
    this.play = button('Play', () => this.toggle(), { drawing: PLAY, key: 'space', class: 'round' });
    this.slider = el('input', { type: 'range', id: 'time', min: 0, max: end, step: 'any', value: 0, 'aria-label': 'Time in seconds' });
    this.slider.addEventListener('input', () => {
      this.pause();
      this.set(Number(this.slider.value));
    });
    this.output = el('output', { for: 'time' });
    this.speed = el('select', { 'aria-label': 'Speed' }, ...[0.1, 0.25, 0.5, 1, 2, 5, 10].map((x) => el('option', { value: x, selected: x === 1 }, `${x}×`)));
    this.loop = el('input', { type: 'checkbox', checked: true });
    const marks = findings.filter(({ hit }) => hit).slice(0, MARKS).map((finding) => {
      const mark = el('button', {
        type: 'button', class: `mark ${finding.state}`, title: printable(`${finding.a.name} and ${finding.b.name} ${finding.number}`),
        'aria-label': printable(`${finding.state} of ${finding.a.name} and ${finding.b.name} ${finding.number}`), onclick: () => on.mark(finding),
      });
      mark.style.left = `${(100 * finding.hit.time) / end}%`;
      return mark;
    });
    this.element = el('div', { id: 'timeline', role: 'group', 'aria-label': 'Time line' }, this.play,
      el('div', { class: 'track' }, el('div', { class: 'marks' }, ...marks), this.slider), this.output, this.speed, el('label', { class: 'loop' }, this.loop, 'loop'));
    if (plot) {
      this.plot = new Plot(end, plot);
      this.element.classList.add('plotted');
      this.element.prepend(this.plot.element);
    }
    this.set(0);
  }

  set(time) {
    this.time = Math.min(Math.max(time, 0), this.end);
    this.slider.value = this.time;
    this.output.textContent = `${short(this.time, 4)} s`;
    this.slider.setAttribute('aria-valuetext', this.output.textContent);
    this.plot?.set(this.time);
    this.on.time(this.time);
  }

  toggle() {
    if (this.isPlaying) return this.pause();
    if (this.time >= this.end) this.set(0);
    this.isPlaying = true;
    this.last = null;
    this.#show('Pause', PAUSE);
    this.on.time(this.time);
  }

  pause() {
    this.isPlaying = false;
    this.#show('Play', PLAY);
  }

  #show(label, drawing) {
    this.play.replaceChildren(icon(drawing));
    this.play.setAttribute('aria-label', label);
    this.play.title = `${label} (space)`;
  }

  /** Goes on playing; false when it rests. */
  step(now) {
    if (!this.isPlaying) return false;
    // A page that slept does not jump ahead.
    const passed = this.last === null ? 0 : Math.min(now - this.last, 250) / 1000;
    this.last = now;
    let time = this.time + passed * Number(this.speed.value);
    if (time >= this.end) {
      if (this.loop.checked) time %= this.end;
      else this.pause();
    }
    this.set(time);
    return this.isPlaying;
  }
}
