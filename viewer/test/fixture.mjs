// Reports made by hand, for what a checked scene rarely has: hostile names, thousands of bodies, far-away and tiny scenes.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
export const BUILT = join(here, '../../crates/clearance-cli/assets/report.html');

/** The state of a finding that is not undecided. */
function stateOf({ overlap, impact }) {
  if (impact === 'touching' || (overlap && !impact)) return 'overlap';
  if (impact === 'clear') return 'clear';
  if (impact) return impact.upper === null ? 'graze' : 'collision';
  return 'gap';
}

/** Puts a report together in the format of `viewer/FORMAT.md`. */
export class Builder {
  constructor(fields = {}) {
    this.report = {
      format: 'clearance-report/1', program: 'clearance 0.1.0', title: 'fixture', unit: null, origin: [0, 0, 0], radius: 2, up: [0, 1, 0], margin: 0.1, until: null,
      checked: 0, overlaps: 0, undecided: 0, within: 0, impacts: 0, listed: 0, shapes: [], bodies: [], findings: [], ...fields,
    };
    this.chunks = [];
    this.bytes = 0;
  }

  #put(array, items) {
    const place = [this.bytes, array.length / items];
    this.chunks.push(Buffer.from(array.buffer, array.byteOffset, array.byteLength));
    this.bytes += array.byteLength;
    return place;
  }

  /** A shape of corners, triangles and lines; the answer is its index. */
  shape(kind, { vertices, triangles, lines }, more = {}) {
    const shape = { kind, origin: [0, 0, 0], smooth: false, ...more };
    if (vertices) shape.vertices = this.#put(Float32Array.from(vertices.flat(), (x) => x / this.report.radius), 3);
    if (triangles) shape.triangles = this.#put(Uint32Array.from(triangles.flat()), 3);
    if (lines) shape.lines = this.#put(Uint32Array.from(lines.flat()), 2);
    return this.report.shapes.push(shape) - 1;
  }

  halfSpace(normal, offset) {
    return this.report.shapes.push({ kind: 'half_space', normal, offset }) - 1;
  }

  body(name, shape, translation = [0, 0, 0], more = {}) {
    const { track, ...rest } = more;
    const body = { name, shape, translation, rotation: [0, 0, 0, 1], ...rest };
    if (track) {
      const { origin, radius } = this.report;
      const key = ([time, x, y, z, ...turn]) => [time, ...[x, y, z].map((x, axis) => (x - origin[axis]) / radius), ...turn];
      body.track = this.#put(Float32Array.from(track.flatMap(key)), 8);
    }
    return this.report.bodies.push(body) - 1;
  }

  finding(a, b, distance, more = {}) {
    const overlap = distance <= 0;
    const width = Math.abs(distance) * 1e-14;
    const finding = { a, b, overlap, distance, lower: distance - width, upper: distance + width, status: 'converged', point_a: [0, 0, 0], point_b: [0, distance, 0], normal: [0, 1, 0], ...more };
    finding.state ??= stateOf(finding);
    this.report[{ overlap: 'overlaps', undecided: 'undecided' }[finding.state] ?? 'within']++;
    this.report.listed++;
    return this.report.findings.push(finding) - 1;
  }

  /** The page with this report in it. */
  html() {
    const json = JSON.stringify(this.report).replaceAll('<', '\\u003c');
    const page = readFileSync(BUILT, 'utf8');
    return page.replace('REPORT_JSON', () => json).replace('GEOMETRY_BASE64', () => deflateSync(Buffer.concat(this.chunks), { level: 1 }).toString('base64'));
  }
}

export function box(x, y, z) {
  const vertices = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z]);
  const triangles = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]];
  const lines = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];
  return { vertices, triangles, lines };
}

/** A box with a hollow of half its size. */
export function hollow(x, y, z) {
  const [outer, inner] = [box(x, y, z), box(x / 2, y / 2, z / 2)];
  const turned = inner.triangles.map(([a, b, c]) => [a + 8, c + 8, b + 8]);
  return { vertices: [...outer.vertices, ...inner.vertices], triangles: [...outer.triangles, ...turned], lines: [...outer.lines, ...inner.lines.map(([a, b]) => [a + 8, b + 8])] };
}

/** A ball of rings, or with `wrinkle` a stone. */
export function ball(radius, rings, around, wrinkle = () => 1) {
  const vertices = [[0, radius, 0]];
  for (let i = 1; i < rings; i++) {
    for (let j = 0; j < around; j++) {
      const [phi, theta] = [(Math.PI * i) / rings, (2 * Math.PI * j) / around];
      const r = radius * wrinkle(phi, theta);
      vertices.push([r * Math.sin(phi) * Math.cos(theta), r * Math.cos(phi), r * Math.sin(phi) * Math.sin(theta)]);
    }
  }
  const last = vertices.push([0, -radius, 0]) - 1;
  const at = (i, j) => 1 + (i - 1) * around + (j % around);
  const triangles = [];
  for (let j = 0; j < around; j++) {
    triangles.push([0, at(1, j + 1), at(1, j)], [last, at(rings - 1, j), at(rings - 1, j + 1)]);
    for (let i = 1; i < rings - 1; i++) triangles.push([at(i, j), at(i, j + 1), at(i + 1, j)], [at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)]);
  }
  return { vertices, triangles };
}

/** A few bodies of every kind, one overlap, two gaps. */
export function small(fields = {}) {
  const made = new Builder({ title: 'small.json', ...fields });
  const cube = made.shape('cuboid', box(0.3, 0.3, 0.3));
  const sphere = made.shape('sphere', ball(0.3, 24, 48), { smooth: true });
  const left = made.shape('cuboid', box(0.15, 0.3, 0.3), { origin: [-0.15, 0, 0] });
  const right = made.shape('cuboid', box(0.15, 0.3, 0.3), { origin: [0.15, 0, 0] });
  const split = made.shape('compound', box(0.3, 0.3, 0.3), { pieces: [left, right] });
  const rod = made.shape('segment', { vertices: [[0, 0, 0], [0, 1, 0]], lines: [[0, 1]] });
  const pin = made.shape('point', { vertices: [[0, 0, 0]] });
  made.body('floor', made.halfSpace([0, 1, 0], 0), [0, 0, 0], { group: 'furniture' });
  made.body('crate', cube, [0, 0.32, 0], { group: 'furniture' });
  made.body('ball', sphere, [0, 0.88, 0]);
  made.body('split', split, [1, 0.35, 0]);
  made.body('rod', rod, [-0.8, 0.05, 0]);
  made.body('pin', pin, [-0.8, 0.3, 0.5]);
  made.finding(1, 2, -0.04, { point_a: [0, 0.62, 0], point_b: [0, 0.58, 0], depth: { lower: 0.04, upper: 0.04, translation: [0, -0.04, 0] } });
  made.finding(0, 1, 0.02, { point_a: [0, 0, 0], point_b: [0, 0.02, 0] });
  made.finding(0, 3, 0.05, { point_a: [1, 0, 0], point_b: [1, 0.05, 0] });
  made.finding(0, 4, 0.05, { point_a: [-0.8, 0, 0], point_b: [-0.8, 0.05, 0] });
  made.report.checked = 15;
  return made;
}

/** A box that turns and moves by 2 along x in 2 s, hits a wall after 1 s, and goes back a little. */
export function moving() {
  const made = new Builder({ title: 'moving.json', until: 4, radius: 2.5 });
  const cube = made.shape('cuboid', box(0.3, 0.3, 0.3));
  const wall = made.shape('cuboid', box(0.05, 0.6, 0.6));
  made.body('floor', made.halfSpace([0, 1, 0], -0.3));
  made.body('sledge', cube, [-1, 0, 0], { track: [[0, -1, 0, 0, 0, 0, 0, 1], [2, 1, 0, 0, 0, Math.SQRT1_2, 0, Math.SQRT1_2], [3, 0.5, 0, 0, 0, -Math.SQRT1_2, 0, -Math.SQRT1_2]] });
  const reach = 0.3 * Math.SQRT2;
  made.body('wall', wall, [reach + 0.05, 0.3, 0]);
  const impact = { time: 1, lower: 1, upper: 1.000000000002, point_a: [reach, 0, 0], point_b: [reach, 0, 0], normal: [1, 0, 0] };
  made.finding(1, 2, reach + 0.7, { point_a: [-0.7, 0, 0], point_b: [reach, 0, 0], normal: [1, 0, 0], impact });
  made.finding(0, 1, 0.0001, { impact: 'clear', closest_approach: { lower: 0.00009, upper: 0.0001, time: 1.5 } });
  Object.assign(made.report, { impacts: 1, within: 1 });
  return made;
}

export const HOSTILE = [
  '</script><script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 2">',
  'javascript:window.hacked=3',
  '"><svg onload=window.hacked=4>',
  'x'.repeat(5000),
  '\u202eevil\u202c',
  'مرحبا بالعالم',
  '👩‍🚀🛠️ bolt',
  'line\nbreak\u0000\u0007tab\t',
  '__proto__',
  '{{STYLE}} $& $1 REPORT_JSON',
  'one~two=three&four#%7E',
  '',
];

export function hostile() {
  const made = new Builder({ title: '<b onclick=alert(1)>title</b></title><script>window.hacked = 5</script>', unit: '<i>mm</i>' });
  const cube = made.shape('<u>kind</u>', box(0.2, 0.2, 0.2));
  HOSTILE.forEach((name, i) => made.body(name, cube, [(i % 4) * 0.5 - 0.75, 0, Math.floor(i / 4) * 0.5 - 0.5], { group: HOSTILE[(i + 1) % HOSTILE.length] }));
  for (let i = 0; i + 1 < HOSTILE.length; i++) made.finding(i, i + 1, i % 2 ? 0.1 : -0.1, { status: '<s>status</s>' });
  return made;
}

/** `count` bodies of 500 triangles, each its own mesh or all of one. */
export function many(count, { shared = false, findings = count } = {}) {
  const made = new Builder({ title: `${count} bodies`, radius: 13, margin: 0.2 });
  const stone = (seed) => ball(0.45, 13, 21, (phi, theta) => 1 + 0.12 * Math.sin(3 * theta + seed) * Math.sin(phi) ** 2 + 0.1 * Math.cos(4 * phi + seed));
  const one = shared ? made.shape('mesh', stone(0), { solid: true }) : 0;
  const side = Math.ceil(Math.cbrt(count));
  const place = (i) => [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)].map((x) => (x - (side - 1) / 2) * 1.02);
  for (let i = 0; i < count; i++) made.body(`stone ${i}`, shared ? one : made.shape('mesh', stone(i), { solid: true }), place(i), { group: `layer ${Math.floor(i / side / side)}` });
  for (let i = 0; i < findings; i++) {
    const a = i % (count - 1);
    const b = Math.min(a + 1 + Math.floor(i / (count - 1)), count - 1);
    const distance = i < 40 ? -0.001 * (40 - i) : 0.0001 * i;
    const middle = place(a).map((x, axis) => (x + place(b)[axis]) / 2);
    made.finding(a, b, distance, { normal: [1, 0, 0], point_a: middle, point_b: [middle[0] + distance, middle[1], middle[2]] });
  }
  return made;
}
