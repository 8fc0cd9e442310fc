// What is drawn over the scene about the chosen finding: points, the gap or the way out, and its number. It is never hidden by bodies.

import { printable } from './dom.js';
import { short } from './numbers.js';

const FONT = '"Segoe UI", system-ui, -apple-system, "Noto Sans", sans-serif';
const INK = {
  light: { a: '#e69f00', onA: '#201500', b: '#0072b2', onB: '#ffffff', line: '#12171c', halo: '#ffffff', label: '#ffffff', text: '#12171c', soft: '#4a5560', rim: '#c3ccd4' },
  dark: { a: '#f0b030', onA: '#201500', b: '#56b4e9', onB: '#06202e', line: '#f2f5f7', halo: '#0c0f12', label: '#20262d', text: '#f2f5f7', soft: '#b9c4ce', rim: '#46515c' },
};

/** What there is to draw about a finding at a time; null if nothing. Points are in units of the scene. */
export function marksOf(finding, scene, time, isFree) {
  if (!finding || isFree) return null;
  const { raw, hit } = finding;
  const moves = scene.bodies[raw.a].track || scene.bodies[raw.b].track;
  const about = (t) => Math.abs(time - t) <= 1e-3 * Math.max(scene.end, 1e-12);
  if (hit && about(hit.time)) {
    return { kind: 'hit', a: scene.toScene(hit.point_a), b: scene.toScene(hit.point_b), number: `${finding.state === 'graze' ? 'graze' : 'contact'} at ${short(hit.lower ?? hit.time, 6)} s`, proved: finding.state === 'graze' ? 'not before; may be a miss' : `proved ${finding.proved}` };
  }
  if (raw.closest_approach && about(finding.time)) {
    // No points are told where two come closest; the number stands above them.
    const { center, radius } = scene.bounds(scene.balls([scene.bodies[raw.a], scene.bodies[raw.b]]));
    const middle = center.clone().addScaledVector(scene.up, radius);
    const when = raw.closest_approach.time ?? null;
    return { kind: 'near', a: middle, b: middle, number: `closest ${finding.number}${scene.unit}${when === null ? '' : ` at ${short(when)} s`}`, proved: proved(finding) };
  }
  // Points are those of time zero; bodies that have moved on have left them.
  if (moves && !about(0)) return null;
  const [a, b] = [scene.toScene(raw.point_a), scene.toScene(raw.point_b)];
  if (finding.isOverlap) {
    const escape = finding.escape;
    const number = finding.isTouch ? 'touching' : `depth ${short(Math.abs(finding.distance))}${finding.isOpen ? ` to ${short(-finding.lower)}` : ''}${scene.unit}`;
    return { kind: 'overlap', a, b, escape: escape && scene.toSceneVector(escape), number, proved: proved(finding) };
  }
  if (hit) return { kind: 'gap', a, b, number: `gap ${short(raw.distance)}${scene.unit}`, proved: 'at time 0' };
  return { kind: 'gap', a, b, number: `gap ${finding.number}${scene.unit}`, proved: proved(finding) };
}

/** The bracket where its ends can be told apart, else how narrow it is. */
function proved({ proved, lower, upper, isOverlap }) {
  if (!proved.includes('…')) return `proved ${proved}`;
  // A depth is minus the distance.
  return isOverlap && upper <= 0 ? `proved [${short(-upper)}, ${short(-lower)}]` : `proved [${short(lower)}, ${short(upper)}]`;
}

/** Draws marks on a 2-D canvas of the page's pixels; `taken` are boxes of it that the label leaves free, as [left, top, right, bottom]. */
export function annotate(context, marks, camera, width, height, theme, taken = []) {
  if (!marks) return;
  const ink = INK[theme];
  const a = camera.project(marks.a, width, height);
  const b = camera.project(marks.b, width, height);
  if (!a || !b) return;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  let along = { x: b.x - a.x, y: b.y - a.y };
  let middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  const seen = [a, b];
  if (marks.kind === 'gap') line(context, ink, [a, b]);
  if (marks.escape) {
    const tip = camera.project(marks.a.clone().add(marks.escape), width, height);
    // The way out of A's point may be too short to see; the arrow has a length to see, its number says the truth.
    along = tip ? { x: tip.x - a.x, y: tip.y - a.y } : { x: 0, y: -1 };
    const length = Math.hypot(along.x, along.y);
    const shown = Math.max(length, 64);
    if (length > 0.01) {
      const end = { x: a.x + (along.x / length) * shown, y: a.y + (along.y / length) * shown };
      arrow(context, ink, a, end);
      middle = { x: (a.x + end.x) / 2, y: (a.y + end.y) / 2 };
      seen.push(end);
    }
  }
  if (marks.kind !== 'near') {
    // Behind the points; but where an arrow goes on, beside it.
    dot(context, ink, ink.b, ink.onB, b, 'B', along, marks.escape ? 0 : 1);
    dot(context, ink, ink.a, ink.onA, a, 'A', along, -1);
  }
  label(context, ink, marks, middle, along, width, height, [...taken, ...seen.map(({ x, y }) => [x - 24, y - 24, x + 24, y + 24])]);
}

function line(context, ink, points) {
  for (const [color, size] of [[ink.halo, 5], [ink.line, 2]]) {
    context.strokeStyle = color;
    context.lineWidth = size;
    context.beginPath();
    points.forEach(({ x, y }, i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.stroke();
  }
}

function arrow(context, ink, from, to) {
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  const wing = (turn) => ({ x: to.x - 13 * Math.cos(angle + turn), y: to.y - 13 * Math.sin(angle + turn) });
  for (const [color, size] of [[ink.halo, 7], [ink.line, 3]]) {
    context.strokeStyle = color;
    context.lineWidth = size;
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
    for (const turn of [0.45, -0.45]) {
      const { x, y } = wing(turn);
      context.moveTo(x, y);
      context.lineTo(to.x, to.y);
    }
    context.stroke();
  }
}

/** A point of a body, and its letter before it, behind it, or (0) to the left of the line. */
function dot(context, ink, color, letterColor, at, letter, along, side) {
  const length = Math.hypot(along.x, along.y);
  const [ux, uy] = length > 0.5 ? [along.x / length, along.y / length] : [1, 0];
  const [nx, ny] = rightOf(ux, uy);
  const out = side ? { x: at.x + side * ux * 20, y: at.y + side * uy * 20 } : { x: at.x - nx * 22, y: at.y - ny * 22 };
  context.strokeStyle = ink.halo;
  context.fillStyle = color;
  context.lineWidth = 2;
  for (const [{ x, y }, radius] of [[at, 4.5], [out, 9.5]]) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }
  context.font = `700 13px ${FONT}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = letterColor;
  context.fillText(letter, out.x, out.y + 0.5);
}

/** Across a direction of the screen: to the right, or up where it is neither right nor left. */
function rightOf(x, y) {
  return -y < -0.01 || (Math.abs(y) <= 0.01 && x > 0) ? [y, -x] : [-y, x];
}

/** The number beside the marks, inside the view, where it covers as little as possible of what is `taken`. */
function label(context, ink, marks, at, along, width, height, taken) {
  context.font = `600 15px ${FONT}`;
  const first = context.measureText(marks.number).width;
  context.font = `13px ${FONT}`;
  const second = context.measureText(marks.proved).width;
  const [w, h] = [Math.max(first, second) + 22, 46];
  const length = Math.hypot(along.x, along.y);
  const [nx, ny] = length > 0.5 ? rightOf(along.x / length, along.y / length) : [0.3, -1];
  const clamp = (x, low, high) => Math.max(low, Math.min(x, high));
  const covered = ([x, y]) => taken.reduce((sum, [left, top, right, bottom]) =>
    sum + Math.max(0, Math.min(x + w, right) - Math.max(x, left)) * Math.max(0, Math.min(y + h, bottom) - Math.max(y, top)), 0);
  // To the right of the line first, then to the left, below and above, and the same farther away.
  const places = [26, 70, 130].flatMap((off) => [[nx, ny], [-nx, -ny], [0, 1], [0, -1]].map(([dx, dy]) => {
    const reach = off + (Math.abs(dx) * w + Math.abs(dy) * h) / 2;
    return [clamp(at.x + dx * reach - w / 2, 8, width - w - 8), clamp(at.y + dy * reach - h / 2, 60, height - h - 8)];
  }));
  const [x, y] = places.find((place) => covered(place) === 0) ?? places.reduce((best, place) => (covered(place) < covered(best) ? place : best));
  context.strokeStyle = ink.soft;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(at.x, at.y);
  context.lineTo(clamp(at.x, x, x + w), clamp(at.y, y, y + h));
  context.stroke();
  context.beginPath();
  context.roundRect(x, y, w, h, 7);
  context.fillStyle = ink.label;
  context.strokeStyle = ink.rim;
  context.fill();
  context.stroke();
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  context.fillStyle = ink.text;
  context.font = `600 15px ${FONT}`;
  context.fillText(marks.number, x + 11, y + 20);
  context.fillStyle = ink.soft;
  context.font = `13px ${FONT}`;
  context.fillText(marks.proved, x + 11, y + 37);
}

/** Names of the pair in a corner, for pictures that leave the page. */
export function caption(context, finding, title, width, height, theme) {
  const ink = INK[theme];
  const lines = finding ? [['A', ink.a, finding.a.name], ['B', ink.b, finding.b.name]] : [];
  context.textBaseline = 'alphabetic';
  context.textAlign = 'left';
  const put = (text, x, y, font, color) => {
    context.font = font;
    context.lineWidth = 3;
    context.strokeStyle = ink.halo;
    context.strokeText(text, x, y);
    context.fillStyle = color;
    context.fillText(text, x, y);
  };
  put(fit(context, printable(title), width - 32, `13px ${FONT}`), 16, height - 16, `13px ${FONT}`, ink.soft);
  lines.forEach(([letter, color, name], i) => {
    put(letter, 16, 28 + 22 * i, `700 15px ${FONT}`, color);
    put(fit(context, printable(name), width - 60, `600 14px ${FONT}`), 36, 28 + 22 * i, `600 14px ${FONT}`, ink.text);
  });
}

/** As much of a text as fits. */
function fit(context, text, width, font) {
  context.font = font;
  if (context.measureText(text.slice(0, 400)).width <= width && text.length <= 400) return text;
  let end = Math.min(text.length, 400);
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > width) end = Math.floor(end * 0.9);
  return `${text.slice(0, end)}…`;
}
