// Where bodies are at a time: between two keys straight ahead, turning along the shortest arc (`viewer/FORMAT.md`).

const KEY = 8;

/**
 * The pose at a time, written into `translation` (3 numbers) and `rotation` (4).
 * Tracks are about the origin of the report and in units of its radius; poses without a track are not.
 */
export function poseAt(body, track, { origin, radius }, time, translation, rotation) {
  if (!track || track.length < KEY) {
    for (let i = 0; i < 3; i++) translation[i] = body.translation[i];
    for (let i = 0; i < 4; i++) rotation[i] = body.rotation[i];
    return;
  }
  const count = track.length / KEY;
  const next = firstAfter(track, count, time);
  const from = Math.max(next - 1, 0) * KEY;
  const to = Math.min(next, count - 1) * KEY;
  const span = track[to] - track[from];
  const part = span > 0 ? Math.min(Math.max((time - track[from]) / span, 0), 1) : 0;
  for (let i = 0; i < 3; i++) translation[i] = origin[i] + radius * (track[from + 1 + i] * (1 - part) + track[to + 1 + i] * part);
  slerp(track, from + 4, to + 4, part, rotation);
}

/** The first key after a time, by bisection; `count` if there is none. */
function firstAfter(track, count, time) {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (track[middle * KEY] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

function slerp(track, from, to, part, out) {
  let cosine = 0;
  for (let i = 0; i < 4; i++) cosine += track[from + i] * track[to + i];
  // q and -q are one rotation; the nearer of the two gives the shortest arc.
  const sign = cosine < 0 ? -1 : 1;
  cosine = Math.min(Math.abs(cosine), 1);
  const angle = Math.acos(cosine);
  const sine = Math.sin(angle);
  const first = sine > 1e-6 ? Math.sin((1 - part) * angle) / sine : 1 - part;
  const second = sine > 1e-6 ? Math.sin(part * angle) / sine : part;
  let square = 0;
  for (let i = 0; i < 4; i++) {
    out[i] = first * track[from + i] + sign * second * track[to + i];
    square += out[i] * out[i];
  }
  const length = Math.sqrt(square) || 1;
  for (let i = 0; i < 4; i++) out[i] /= length;
}

/** When the last of all motions ends; 0 where nothing moves. */
export function endOf(report, geometry) {
  let end = report.until ?? 0;
  if (report.until !== null && report.until !== undefined) return end;
  for (const body of report.bodies) {
    if (!body.track || body.track[1] === 0) continue;
    const track = geometry.track(body.track);
    end = Math.max(end, track[track.length - KEY]);
  }
  return end;
}
