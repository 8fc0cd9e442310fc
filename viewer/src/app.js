// The page as a whole: what is chosen, what is shown, and who is told.

import { Vector3 } from 'three';
import { annotate, caption, marksOf } from './annotate.js';
import { Bodies } from './bodies.js';
import { Camera, VIEWS } from './camera.js';
import { control } from './controls.js';
import { Details } from './details.js';
import { announce, button, el, nameOf, printable } from './dom.js';
import { Finding } from './findings.js';
import { keys, showHelp } from './keys.js';
import { FindingList } from './list.js';
import { endOf } from './motion.js';
import { Options } from './options.js';
import { printing } from './print.js';
import { Review } from './review.js';
import { Scene } from './scene.js';
import { Section } from './section.js';
import { copy, fileName, linkTo, readLink, savePng, toast } from './share.js';
import { themes } from './theme.js';
import { Timeline } from './timeline.js';

const DRAWINGS = {
  fit: 'M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4',
  projection: 'M3 6l7-3 7 3v8l-7 3-7-3zM3 6l7 3 7-3M10 9v8',
  picture: 'M3 5h3l1.5-2h5L14 5h3v11H3zM10 13.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  theme: 'M10 3v14a7 7 0 0 0 0-14zM10 3a7 7 0 0 0 0 14',
  help: 'M7 7.5a3 3 0 1 1 4.2 2.7c-.8.4-1.2 1-1.2 1.8M10 15.5v.2',
};
const TABS = { findings: 'Findings', finding: 'Details', bodies: 'Bodies', options: 'View' };
/** How long a body takes to come free, in milliseconds. */
const FREEING = 900;
/** Scenes of fewer triangles are drawn in time on anything. */
const LIGHT = 100_000;
/** A frame should not take longer while the scene moves, in milliseconds; and this long after the last move it rests. */
const IN_TIME = 90;
const RESTS = 250;

export class App {
  constructor(element, report, geometry) {
    this.report = report;
    this.findings = report.findings.map((_, index) => new Finding(report, index));
    this.selected = null;
    this.rest = 'ghost';
    this.unsure = new Set(this.findings.filter(({ state }) => state === 'undecided').flatMap(({ raw }) => [raw.a, raw.b]));
    this.bad = new Set(this.findings.filter(({ state }) => state === 'overlap' || state === 'collision').flatMap(({ raw }) => [raw.a, raw.b]));
    this.free = { part: 0, goal: 0 };
    this.canvas = el('canvas', { id: 'scene', tabIndex: 0, role: 'application', 'aria-label': 'The scene in 3-D: arrow keys turn it, plus and minus zoom, F fits, 1 to 7 are standard views' });
    this.overlay = el('canvas', { id: 'overlay', 'aria-hidden': 'true' });
    this.camera = new Camera(new Vector3(...report.up));
    this.scene = this.#scene(geometry);
    this.#layout(element, geometry);
    this.toggleTheme = themes((name) => {
      this.theme = name;
      this.scene?.setTheme(name);
      this.invalidate();
    });
    keys(this);
    printing({ report, list: this.list, scene: this.scene, picture: () => this.picture() });
    addEventListener('hashchange', () => this.#follow());
    document.title = `${printable(report.title ?? 'Report')} – Clearance`;
    if (this.scene) {
      control(this.canvas, this.camera, {
        change: () => this.#touch(),
        click: (x, y) => this.#click(x, y),
        focus: (x, y) => this.#focusAt(x, y),
      });
      this.canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
      this.canvas.addEventListener('webglcontextrestored', () => this.invalidate());
      this.setLooks();
      new ResizeObserver(() => this.#resize()).observe(this.view);
      this.#resize();
      this.fit(false);
    }
    this.#follow();
    performance.mark('clearance-ready');
  }

  #scene(geometry) {
    try {
      const scene = new Scene(this.canvas, this.report, geometry);
      scene.end = endOf(this.report, geometry);
      scene.unit = this.report.unit ? ` ${this.report.unit}` : '';
      return scene;
    } catch (error) {
      // No WebGL: the list and the numbers need none.
      console.warn(`no 3-D view: ${error?.message ?? error}`);
      return null;
    }
  }

  #layout(element, geometry) {
    const { report, scene } = this;
    this.review = new Review(report, () => this.list.rows.refresh());
    this.list = new FindingList(report, this.findings, this.review, (finding) => this.select(finding));
    this.details = new Details(report, {
      worst: () => this.select(this.findings[0]),
      move: (step) => this.list.move(step),
      review: (finding) => this.review.form(finding),
      free: () => this.toggleFree(),
      fit: () => this.flyToPair(),
      isolate: () => this.bodies.isolate([this.selected.raw.a, this.selected.raw.b]),
      section: () => this.section?.cutOpen(),
      pieces: () => this.options.togglePieces(),
      copyJson: () => copy(JSON.stringify(this.selected, null, 2), 'Finding'),
      copyLink: () => copy(location.href.split('#')[0] + linkTo(this.selected, this.camera), 'Link'),
      focus: (index) => this.focus(index),
    });
    this.bodies = new Bodies(report, { change: () => this.setLooks(), focus: (index) => this.focus(index) });
    this.section = scene && new Section(scene, this.camera, { change: (plane) => {
      scene.setSection(plane);
      this.invalidate();
    } });
    this.section?.setFinding(null);
    this.options = new Options(report, this.section, {
      opacity: (x) => { scene?.materials.setOpacity(x); this.invalidate(); },
      pieces: (pieces) => { scene?.setPieces(pieces); this.invalidate(); },
      up: (up) => this.setUp(up),
      rest: (rest) => { this.rest = rest; this.setLooks(); },
      edges: (shown) => { scene?.setEdges(shown); this.invalidate(); },
    });
    const end = scene?.end ?? 0;
    const tracked = report.bodies.some((body) => body.track);
    this.timeline = scene && end > 0 && (tracked || report.until > 0) ? new Timeline(end, this.findings, {
      time: (time) => { scene.setTime(time); this.invalidate(); },
      mark: (finding) => this.select(finding),
    }, report.plot) : null;
    this.chips = el('div', { id: 'chips' });
    this.view = el('main', { id: 'view', 'aria-label': 'Scene' }, ...(scene ? [this.canvas, this.overlay, this.tools = this.#tools(), this.chips, this.timeline?.element]
      : [el('p', { class: 'sorry' }, 'This browser has no WebGL, so the scene cannot be drawn; the findings and their numbers are all here.')]).filter(Boolean));
    this.tabs = el('div', { id: 'tabs', role: 'tablist', 'aria-label': 'Panels' }, ...Object.entries(TABS).map(([name, words]) =>
      el('button', { type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': name, 'data-tab': name, onclick: () => this.openTab(name) }, words)));
    this.tabs.addEventListener('keydown', (event) => this.#tabKey(event));
    const panels = [this.details.element, this.bodies.element, this.options.element];
    for (const panel of panels) panel.setAttribute('role', 'tabpanel');
    element.replaceChildren(this.list.element, this.view, this.tabs, ...panels);
    document.body.append(el('div', { id: 'announcer', class: 'unseen', role: 'status', 'aria-live': 'polite' }));
    this.openTab('findings');
  }

  #tools() {
    const views = el('select', { 'aria-label': 'Standard view', title: 'Standard views (1 to 7)' }, el('option', { value: '' }, 'View …'), ...Object.entries(VIEWS).map(([key, { name }]) => el('option', { value: key }, `${name} (${key})`)));
    views.addEventListener('change', () => {
      if (views.value) this.standardView(views.value);
      views.value = '';
    });
    this.projection = button('Without perspective', () => this.toggleProjection(), { drawing: DRAWINGS.projection, key: 'O', 'aria-pressed': 'false' });
    return el('div', { id: 'tools', role: 'toolbar', 'aria-label': 'View' },
      button('Show everything', () => this.fit(), { drawing: DRAWINGS.fit, key: 'F' }), views, this.projection,
      button('Save a picture', () => this.savePicture(), { drawing: DRAWINGS.picture, key: 'P' }),
      button('Light or dark', () => this.toggleTheme(), { drawing: DRAWINGS.theme }),
      button('Keys', () => showHelp(), { drawing: DRAWINGS.help, key: '?' }));
  }

  /** On a wide page the list is always there, and its tab stands for the details. */
  openTab(name) {
    document.body.dataset.tab = name;
    for (const tab of this.tabs.children) {
      const isOpen = tab.dataset.tab === name || (name === 'findings' && tab.dataset.tab === 'finding' && !isNarrow());
      tab.setAttribute('aria-selected', String(isOpen));
      tab.tabIndex = isOpen ? 0 : -1;
    }
  }

  #tabKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const tabs = [...this.tabs.children].filter((tab) => tab.offsetParent);
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    this.openTab(next.dataset.tab);
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  /** Chooses a finding and flies to it; null chooses none. */
  select(finding, { fly = true } = {}) {
    this.#endFree();
    this.selected = finding;
    this.list.select(finding);
    this.details.show(finding);
    this.section?.setFinding(finding);
    if (finding) {
      this.timeline?.pause();
      this.timeline?.set(finding.time);
      this.openTab('finding');
    }
    this.setLooks();
    this.#showChips();
    if (finding && fly) this.flyToPair();
    announce(finding ? printable(finding.sentence) : 'No finding is chosen');
    try {
      history.replaceState(null, '', finding ? linkTo(finding) : location.href.split('#')[0]);
    } catch {
      // Some browsers forbid it in pages that are files; links can still be copied.
    }
  }

  #showChips() {
    const { selected } = this;
    this.chips.replaceChildren(...(selected ? [['a', selected.a], ['b', selected.b]].map(([letter, body]) =>
      el('span', { class: `tag ${letter}` }, el('b', {}, letter.toUpperCase()), nameOf(body.label, { title: printable(body.name) }))) : []));
  }

  /** The finding and the view of the address. */
  #follow() {
    const { finding, view } = readLink(location.hash, this.findings);
    if (!finding || finding === this.selected) return;
    this.select(finding, { fly: !view });
    if (!view) return;
    const [x, y, z, distance, theta, phi] = view;
    Object.assign(this.camera, { distance, theta, phi, flight: null });
    this.camera.target.set(x, y, z);
    this.invalidate();
  }

  setLooks() {
    const { scene, selected, bodies } = this;
    if (!scene) return;
    scene.setLooks((index) => {
      if (selected?.raw.a === index) return bodies.hidden.has(index) ? 'hidden' : 'a';
      if (selected?.raw.b === index) return bodies.hidden.has(index) ? 'hidden' : 'b';
      if (bodies.hidden.has(index)) return 'hidden';
      if (selected && this.rest !== 'plain') return this.rest;
      if (this.bad.has(index)) return 'overlap';
      return this.unsure.has(index) ? 'undecided' : 'plain';
    });
    this.invalidate();
  }

  setUp(up) {
    if (!this.scene) return;
    this.scene.up.set(...up).normalize();
    this.camera.setUp(this.scene.up);
    this.scene.placeGround();
    this.fit();
  }

  /** Flies to where the chosen two are nearest, seen from the side. */
  flyToPair() {
    const { scene, selected, camera } = this;
    if (!scene || !selected) return;
    const { point_a, point_b, normal } = selected.hit ?? selected.raw;
    const pair = [scene.bodies[selected.raw.a], scene.bodies[selected.raw.b]];
    let target = scene.toScene(point_a).add(scene.toScene(point_b)).multiplyScalar(0.5);
    let size = scene.toScene(point_a).distanceTo(scene.toScene(point_b)) / 2;
    if (selected.raw.closest_approach) {
      // Where they come closest is not told by points; both are shown whole.
      const both = scene.bounds(pair);
      target = both.center;
      size = both.radius;
    }
    const radii = pair.filter((body) => !body.shape.isPlane).map((body) => body.radius).filter((radius) => radius > 0);
    if (selected.inner !== null) {
      // The distance says less than where the inner body is, and what is around it.
      ({ center: target, radius: size } = scene.bounds([scene.bodies[selected.inner]]));
      size = Math.max(size, 0.4 * Math.max(...radii));
    }
    // So near that the smaller of the two is seen, and not nearer than it is large.
    const smaller = Math.min(...radii, 1);
    const across = new Vector3(...normal);
    // In an overlap one is always inside of the other; a gap can be looked into.
    const inTheWay = (direction) => (selected.isOverlap ? [] : scene.inTheWay(target, direction, pair));
    const angles = camera.anglesAcross(across, (direction) => inTheWay(direction).length > 0);
    // Where no view is free, the larger one is seen through: a bin, and not the ball in it.
    const hidden = angles.isHidden ? inTheWay(camera.direction(angles.theta, angles.phi)).sort((one, two) => two.radius - one.radius)[0] : null;
    const clear = selected.inner === null ? hidden : pair.find((body) => body !== scene.bodies[selected.inner]);
    for (const body of pair) body.setLook(body.look, body === clear);
    camera.flyTo({ target, distance: camera.distanceFor(Math.max(size * 2, smaller * 1.9, 1e-7)), theta: angles.theta, phi: angles.phi });
    this.invalidate();
  }

  fit(flies = true) {
    if (!this.scene) return;
    const to = this.camera.framing(this.scene.balls());
    if (flies) this.camera.flyTo(to);
    else Object.assign(this.camera, to);
    this.invalidate();
  }

  focus(index) {
    const { scene } = this;
    if (!scene) return;
    const { center, radius } = scene.bounds([scene.bodies[index]]);
    this.camera.flyTo({ target: center, distance: this.camera.distanceFor(radius) });
    this.invalidate();
  }

  standardView(key) {
    const { theta, phi } = VIEWS[key];
    this.camera.flyTo({ theta, phi });
    this.invalidate();
  }

  toggleProjection() {
    this.camera.isOrthographic = !this.camera.isOrthographic;
    this.projection.setAttribute('aria-pressed', String(this.camera.isOrthographic));
    this.invalidate();
  }

  zoom(factor) {
    this.camera.zoom(factor);
    this.invalidate();
  }

  #pick(x, y) {
    return this.scene.pick(x, y, this.camera.active, this.camera.pixelSize(this.view.clientHeight) * 8);
  }

  /** A click on a body chooses its worst finding; the next click the next of them. */
  #click(x, y) {
    const hit = this.#pick(x, y);
    if (!hit) return;
    const own = this.list.shown.filter(({ raw }) => raw.a === hit.body.index || raw.b === hit.body.index);
    if (own.length === 0) return toast(`${printable(hit.body.body.name)}: nothing found`);
    this.select(own[(own.indexOf(this.selected) + 1) % own.length], { fly: false });
  }

  #focusAt(x, y) {
    const hit = this.#pick(x, y);
    if (!hit) return;
    if (!hit.body.shape.isPlane) return this.focus(hit.body.index);
    this.camera.flyTo({ target: hit.point });
    this.invalidate();
  }

  /** Moves A out of B by the translation that is proved to free it, and back. */
  toggleFree() {
    if (!this.selected?.escape || !this.scene) return;
    this.free.goal = this.free.goal ? 0 : 1;
    this.free.last = null;
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) this.free.part = this.free.goal;
    this.details.setFree(this.free.goal === 1);
    announce(this.free.goal ? 'A is separated from B' : 'A is moved back');
    this.#placeFree();
    this.invalidate();
  }

  #stepFree(now) {
    const { free } = this;
    if (free.part === free.goal) return false;
    const passed = free.last ? (now - free.last) / FREEING : 0;
    free.last = now;
    free.part = free.goal ? Math.min(free.part + passed, 1) : Math.max(free.part - passed, 0);
    this.#placeFree();
    return true;
  }

  #placeFree() {
    const { free, scene, selected } = this;
    const eased = free.part * free.part * (3 - 2 * free.part);
    scene.bodies[selected.raw.a].setOffset(scene.toSceneVector(selected.escape).multiplyScalar(eased));
  }

  #endFree() {
    if (this.selected && this.scene && this.free.part + this.free.goal > 0) this.scene.bodies[this.selected.raw.a].setOffset(new Vector3());
    this.free = { part: 0, goal: 0 };
  }

  /** Draws the next frame; nothing is drawn while nothing changes. */
  invalidate() {
    if (!this.scene || this.pending) return;
    this.pending = true;
    requestAnimationFrame((now) => {
      this.pending = false;
      const goesOn = [this.camera.step(now), this.#stepFree(now), this.timeline?.step(now)].some(Boolean);
      if (goesOn) this.#touch();
      this.draw(performance.now() < this.restsAt);
      if (goesOn) this.invalidate();
    });
  }

  /** Something moves: frames may be rough until it rests. */
  #touch() {
    this.restsAt = performance.now() + RESTS;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.isRough && this.invalidate(), RESTS + 20);
    this.invalidate();
  }

  draw(moves = false) {
    const { camera, scene, overlay } = this;
    camera.update();
    const triangles = scene.triangles;
    const budget = this.speed ? this.speed * IN_TIME : Infinity;
    this.isRough = moves && triangles > LIGHT && triangles > budget;
    if (this.isRough) {
      scene.renderRough(camera.active, Math.max(budget, LIGHT / 2));
    } else {
      const start = performance.now();
      scene.render(camera.active);
      // The first frame also brings everything to the graphics card; the next tells how fast it is, in triangles per millisecond.
      if (triangles > LIGHT && scene.frames > 1 && moves) {
        scene.finish();
        this.speed = triangles / (performance.now() - start);
      }
    }
    const pixels = this.pixels;
    const context = overlay.getContext('2d');
    context.setTransform(pixels, 0, 0, pixels, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    annotate(context, this.#marks(), camera, this.width, this.height, this.theme, this.#taken());
    if (scene.frames === 1) performance.mark('clearance-first-frame');
  }

  /** Boxes of the view that lie over the scene: names of the pair, tools and time line. */
  #taken() {
    const of = (element) => [element.offsetLeft, element.offsetTop, element.offsetLeft + element.offsetWidth, element.offsetTop + element.offsetHeight];
    return [...this.chips.children, this.tools, this.timeline?.element].filter(Boolean).map((element) => {
      const [left, top, right, bottom] = of(element);
      const inside = element.parentElement === this.chips;
      return inside ? [left + this.chips.offsetLeft, top + this.chips.offsetTop, right + this.chips.offsetLeft, bottom + this.chips.offsetTop] : [left, top, right, bottom];
    });
  }

  #marks() {
    const { free } = this;
    return marksOf(this.selected, this.scene, this.timeline?.time ?? 0, free.part > 0);
  }

  #resize() {
    const [width, height] = [this.view.clientWidth, this.view.clientHeight];
    if (!width || !height) return;
    Object.assign(this, { width, height, pixels: Math.min(devicePixelRatio || 1, 2) });
    this.camera.aspect = width / height;
    this.scene.resize(width, height, this.pixels);
    this.overlay.width = Math.round(width * this.pixels);
    this.overlay.height = Math.round(height * this.pixels);
    // At once: a canvas that changes its size is empty until it is drawn.
    if (this.scene.frames) this.draw();
    else this.invalidate();
  }

  /** The view with its marks and names, in a canvas of its own. */
  picture() {
    this.draw();
    const { canvas, camera, pixels } = this;
    const made = el('canvas', { width: canvas.width, height: canvas.height });
    const context = made.getContext('2d');
    context.drawImage(canvas, 0, 0);
    context.scale(pixels, pixels);
    // Drawn again and not copied: a copy of a canvas that was only cleared may show what was there before.
    annotate(context, this.#marks(), camera, this.width, this.height, this.theme);
    caption(context, this.selected, this.report.title ?? '', this.width, this.height, this.theme);
    return made;
  }

  async savePicture() {
    if (!this.scene) return;
    await savePng(this.picture(), fileName(this.report.title ?? '', 'png'));
    toast('Picture saved');
  }

  handle() {
    const app = this;
    return {
      select: (index) => app.select(app.findings[index] ?? null),
      get selected() { return app.selected?.index ?? null; },
      /** Were bodies left out of the last frame, to draw it in time? */
      get isRough() { return Boolean(app.isRough); },
      get frames() { return app.scene?.frames ?? 0; },
      get time() { return app.timeline?.time ?? 0; },
      get shown() { return app.list.shown.map(({ index }) => index); },
      get camera() {
        const { target, distance, theta, phi, flight } = app.camera;
        return { target: target.toArray(), distance, theta, phi, flies: Boolean(flight) };
      },
      body: (index) => {
        const { center, rotation, look } = app.scene.bodies[index];
        return { center: center.toArray(), rotation: [...rotation], look };
      },
      /** Where a body's middle is on the page. */
      place: (index) => {
        const box = app.canvas.getBoundingClientRect();
        const { x, y } = app.camera.project(app.scene.bodies[index].center, app.width, app.height);
        return { x: x + box.left, y: y + box.top };
      },
      /** The colours of a picture of the view, four bytes for each pixel. */
      pixels: () => {
        const made = app.picture();
        return { width: made.width, height: made.height, data: made.getContext('2d').getImageData(0, 0, made.width, made.height).data };
      },
    };
  }
}

const isNarrow = () => matchMedia('(max-width: 860px)').matches;
