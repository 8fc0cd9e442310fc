// The two data blocks of the page (`viewer/FORMAT.md`), read and checked. What is wrong with them is one sentence.

import { STATES } from './findings.js';

export const FORMAT = 'clearance-report/1';

/** Something about the data that a reader of the page should be told. */
export class BadReport extends Error {}

/** Reads the blocks of this document. */
export async function readPage() {
  const text = (id) => {
    const block = document.getElementById(id);
    if (!block) throw new BadReport('This page has no report in it. Write it again with `clearance check --report`.');
    const content = block.textContent;
    // The text of a large scene would otherwise stay in memory twice.
    block.remove();
    return content;
  };
  const report = text('report');
  return read(report, text('geometry'));
}

/** Reads a report from its two texts. */
export async function read(json, base64) {
  let report;
  try {
    report = JSON.parse(json);
  } catch {
    throw new BadReport('The report in this page cannot be read: it was cut off or changed. Write it again with `clearance check --report`.');
  }
  if (report?.format !== FORMAT) {
    throw new BadReport('The report in this page is of a kind that this page does not know. Write it again with `clearance check --report`.');
  }
  let buffer;
  try {
    buffer = await inflate(decode(base64.trim()));
  } catch {
    throw new BadReport('The shapes in this page cannot be read: the file was cut off or changed. Write it again with `clearance check --report`.');
  }
  check(report, buffer.byteLength);
  label(report.bodies);
  return { report, geometry: new Geometry(buffer) };
}

/** Names longer than this lose folders. */
const LONG = 34;

/**
 * Gives every body a label: its name, of paths without the folder that all have in common, and of long ones the last two parts. Two bodies never
 * get the same label where their names differ.
 */
function label(bodies) {
  const names = bodies.map(({ name }) => name);
  let common = names[0] ?? '';
  for (const name of names) while (!name.startsWith(common)) common = common.slice(0, -1);
  common = common.slice(0, common.lastIndexOf('/') + 1);
  const isPaths = names.length > 1 && common !== '';
  const short = (name) => {
    const rest = name.slice(common.length);
    return rest.length > LONG ? rest.split('/').slice(-2).join('/') : rest;
  };
  const labels = isPaths ? names.map(short) : names;
  const uses = new Map();
  for (const text of labels) uses.set(text, (uses.get(text) ?? 0) + 1);
  bodies.forEach((body, i) => { body.label = uses.get(labels[i]) > 1 ? names[i].slice(common.length) : labels[i]; });
}

/** Is it a mesh that is not closed? */
export const isShell = (shape) => shape.solid === false;

/** The bytes of a base64 text; new browsers have this built in. */
export function decode(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** What was there before it was compressed. */
async function inflate(bytes) {
  if (bytes.length === 0) return new ArrayBuffer(0);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

/** Fails when something points at what is not there: later code need not ask again. */
function check(report, bytes) {
  const fail = () => {
    throw new BadReport('The report in this page contradicts itself: it was changed after it was written. Write it again with `clearance check --report`.');
  };
  const isVector = (v, length = 3) => Array.isArray(v) && v.length === length && v.every(Number.isFinite);
  const isPlace = (place, size) =>
    place === undefined || (isVector(place, 2) && place[0] % 4 === 0 && place.every((x) => x >= 0) && place[0] + place[1] * size <= bytes);
  const { shapes, bodies, findings } = report;
  if (![shapes, bodies, findings].every(Array.isArray)) fail();
  if (!isVector(report.origin) || !(report.radius > 0) || !Number.isFinite(report.radius)) fail();
  const isRows = (rows) => Array.isArray(rows) && rows.every((row) => Array.isArray(row) && row.length === 3 && row.every((x) => x === null || Number.isFinite(x)));
  if (report.plot && (!isRows(report.plot.points) || !isRows(report.plot.proved))) fail();
  for (const shape of shapes) {
    if (shape.kind === 'half_space' ? !isVector(shape.normal) || !Number.isFinite(shape.offset) : !isVector(shape.origin)) fail();
    if (!isPlace(shape.vertices, 12) || !isPlace(shape.triangles, 12) || !isPlace(shape.lines, 8)) fail();
    if (shape.pieces?.some((piece) => !shapes[piece])) fail();
  }
  for (const body of bodies) {
    if (typeof body.name !== 'string' || !shapes[body.shape] || !isPlace(body.track, 32)) fail();
    if (!isVector(body.translation) || !isVector(body.rotation, 4)) fail();
  }
  for (const { a, b, state, point_a, point_b, normal } of findings) {
    if (!Object.hasOwn(STATES, state) || !bodies[a] || !bodies[b] || ![point_a, point_b, normal].every((v) => isVector(v))) fail();
  }
}

/** The geometry buffer, as typed views that share its memory. Its lengths are in units of the report's radius. */
class Geometry {
  constructor(buffer) {
    this.buffer = buffer;
  }

  vertices([offset, count]) {
    return new Float32Array(this.buffer, offset, 3 * count);
  }

  triangles([offset, count]) {
    return new Uint32Array(this.buffer, offset, 3 * count);
  }

  lines([offset, count]) {
    return new Uint32Array(this.buffer, offset, 2 * count);
  }

  track([offset, count]) {
    return new Float32Array(this.buffer, offset, 8 * count);
  }
}
