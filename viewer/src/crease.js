// Shading of meshes: smooth where the surface is, with creases where it turns sharply.

/** Faces that share an edge are shaded as one surface if they turn by less than this: the cosine of 40 degrees. */
const SMOOTH = 0.766;
/** Chains of sharp edges that are shorter than this part of the size of a mesh are noise of a scan. */
const SPECK = 0.12;

/**
 * Vertices and normals so that a mesh is smooth but for its creases. Vertices at creases are doubled, at the end, and `triangles` are changed to name
 * them; vertices at the same place count as one, as in files that list every triangle with corners of its own.
 */
export function creased(v, triangles) {
  const faces = triangles.length / 3;
  const one = samePlaces(v);
  // Twice the area times the normal of every face, and the unit normal.
  const wide = new Float32Array(triangles.length);
  const unit = new Float32Array(triangles.length);
  for (let f = 0; f < faces; f++) {
    const [a, b, c] = [triangles[3 * f] * 3, triangles[3 * f + 1] * 3, triangles[3 * f + 2] * 3];
    const ux = v[b] - v[a], uy = v[b + 1] - v[a + 1], uz = v[b + 2] - v[a + 2];
    const wx = v[c] - v[a], wy = v[c + 1] - v[a + 1], wz = v[c + 2] - v[a + 2];
    const n = [uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx];
    const length = Math.hypot(...n);
    for (let k = 0; k < 3; k++) {
      wide[3 * f + k] = n[k];
      unit[3 * f + k] = length > 0 ? n[k] / length : 0;
    }
  }
  // The corners of faces around every place.
  const first = new Uint32Array(v.length / 3 + 1);
  for (let i = 0; i < triangles.length; i++) first[one[triangles[i]] + 1]++;
  for (let i = 1; i < first.length; i++) first[i] += first[i - 1];
  const corners = new Uint32Array(triangles.length);
  const next = first.slice();
  for (let i = 0; i < triangles.length; i++) corners[next[one[triangles[i]]]++] = i;
  const [places, normals] = [Array.from({ length: 0 }), []];
  const isTaken = new Uint8Array(v.length / 3);
  const named = new Uint32Array(triangles.length);
  const base = new Float32Array(v.length);
  const group = [];
  for (let place = 0; place + 1 < first.length; place++) {
    const around = corners.subarray(first[place], first[place + 1]);
    group.length = 0;
    for (let i = 0; i < around.length; i++) group.push(i);
    const root = (i) => {
      while (group[i] !== i) i = group[i];
      return i;
    };
    // Faces that share an edge at this place, by the vertex at its other end.
    const beside = new Map();
    for (let i = 0; i < around.length; i++) {
      const f = Math.floor(around[i] / 3);
      const k = around[i] % 3;
      for (const other of [one[triangles[3 * f + ((k + 1) % 3)]], one[triangles[3 * f + ((k + 2) % 3)]]]) {
        const j = beside.get(other);
        if (j === undefined) {
          beside.set(other, i);
          continue;
        }
        const g = Math.floor(around[j] / 3);
        const dot = unit[3 * f] * unit[3 * g] + unit[3 * f + 1] * unit[3 * g + 1] + unit[3 * f + 2] * unit[3 * g + 2];
        const isFlat = wide[3 * f] === 0 && wide[3 * f + 1] === 0 && wide[3 * f + 2] === 0;
        if (dot > SMOOTH || isFlat) group[Math.max(root(i), root(j))] = Math.min(root(i), root(j));
      }
    }
    const made = new Map();
    for (let i = 0; i < around.length; i++) {
      const key = root(i);
      const f = Math.floor(around[i] / 3);
      if (!made.has(key)) made.set(key, { sum: [0, 0, 0], corners: [] });
      const entry = made.get(key);
      for (let k = 0; k < 3; k++) entry.sum[k] += wide[3 * f + k];
      entry.corners.push(around[i]);
    }
    for (const { sum, corners: own } of made.values()) {
      const length = Math.hypot(...sum) || 1;
      const n = sum.map((x) => x / length);
      // The vertex itself for the first surface that has it, a new one for each other.
      let number = triangles[own[0]];
      if (isTaken[number]) {
        number = v.length / 3 + places.length / 3;
        const at = 3 * triangles[own[0]];
        places.push(v[at], v[at + 1], v[at + 2]);
        normals.push(...n);
      } else {
        isTaken[number] = 1;
        base.set(n, 3 * number);
      }
      for (const corner of own) named[corner] = number;
    }
  }
  triangles.set(named);
  const vertices = new Float32Array(v.length + places.length);
  vertices.set(v);
  vertices.set(places, v.length);
  const all = new Float32Array(vertices.length);
  all.set(base);
  all.set(normals, v.length);
  return { vertices, normals: all };
}

/** The first vertex at the place of each. */
function samePlaces(v) {
  const one = new Uint32Array(v.length / 3);
  const bits = new Uint32Array(v.buffer, v.byteOffset, v.length);
  const size = 1 << Math.ceil(Math.log2(Math.max(one.length, 1) * 2 + 1));
  const slots = new Int32Array(size).fill(-1);
  for (let i = 0; i < one.length; i++) {
    let hash = Math.imul(bits[3 * i] ^ Math.imul(bits[3 * i + 1], 0x9e3779b1) ^ Math.imul(bits[3 * i + 2], 0x85ebca6b), 0xc2b2ae35);
    hash = (hash ^ (hash >>> 15)) & (size - 1);
    for (;;) {
      const at = slots[hash];
      if (at < 0) {
        slots[hash] = i;
        one[i] = i;
        break;
      }
      if (v[3 * at] === v[3 * i] && v[3 * at + 1] === v[3 * i + 1] && v[3 * at + 2] === v[3 * i + 2]) {
        one[i] = at;
        break;
      }
      hash = (hash + 1) & (size - 1);
    }
  }
  return one;
}

/** Edges to draw, without short chains of them, which a rough surface is full of. */
export function withoutSpecks(v, lines, size) {
  const parents = new Map();
  const root = (i) => {
    while (parents.get(i) !== i) i = parents.get(i);
    return i;
  };
  for (let i = 0; i < lines.length; i++) parents.set(lines[i], lines[i]);
  for (let i = 0; i < lines.length; i += 2) {
    const [a, b] = [root(lines[i]), root(lines[i + 1])];
    // Paths stay short where the smaller number is the root of chains that are listed in order.
    parents.set(Math.max(a, b), Math.min(a, b));
    parents.set(lines[i + 1], Math.min(a, b));
  }
  const lengths = new Map();
  for (let i = 0; i < lines.length; i += 2) {
    const [a, b] = [3 * lines[i], 3 * lines[i + 1]];
    const length = Math.hypot(v[a] - v[b], v[a + 1] - v[b + 1], v[a + 2] - v[b + 2]);
    const of = root(lines[i]);
    lengths.set(of, (lengths.get(of) ?? 0) + length);
  }
  const kept = [];
  for (let i = 0; i < lines.length; i += 2) if (lengths.get(root(lines[i])) > SPECK * size) kept.push(lines[i], lines[i + 1]);
  return kept.length ? Uint32Array.from(kept) : null;
}
