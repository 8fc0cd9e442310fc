// Shapes of the report as geometry to draw, made when first asked for and shared by the bodies that have them.

import { BufferAttribute, BufferGeometry, Sphere, Vector3 } from 'three';
import { creased, withoutSpecks } from './crease.js';

/** Corners of triangles of meshes that are shaded across their edges; of larger ones each triangle is about a pixel. */
const MOST_CREASED = 3 * 600_000;

/** What one shape is drawn with; parts that it does not have are null. */
export class ShapeGeometry {
  constructor(shape, geometry) {
    this.shape = shape;
    this.isPlane = shape.kind === 'half_space';
    this.isSmooth = false;
    this.surface = this.lines = this.wide = this.points = null;
    this.sphere = new Sphere(new Vector3(), 0);
    if (this.isPlane || !shape.vertices) return;
    const vertices = geometry.vertices(shape.vertices);
    const triangles = shape.triangles?.[1] ? geometry.triangles(shape.triangles) : null;
    let lines = shape.lines?.[1] ? geometry.lines(shape.lines) : null;
    this.isSmooth = Boolean(triangles && shape.smooth);
    this.sphere = sphereOf(vertices);
    if (triangles && shape.solid) turnOut(vertices, triangles);
    // Faces and edges share their vertices, in memory and on the graphics card.
    let position = new BufferAttribute(vertices, 3);
    if (triangles) {
      let normals = shape.smooth ? normalsOf(vertices, triangles) : null;
      if (shape.kind === 'mesh' && !shape.smooth && triangles.length <= MOST_CREASED) {
        const made = creased(vertices, triangles);
        position = new BufferAttribute(made.vertices, 3);
        normals = made.normals;
        this.isSmooth = true;
        if (lines) lines = withoutSpecks(vertices, lines, this.sphere.radius);
      }
      this.surface = this.#geometry(position, triangles);
      if (normals) this.surface.setAttribute('normal', new BufferAttribute(normals, 3));
      if (lines) this.lines = this.#geometry(position, lines);
    } else if (lines) {
      this.wide = this.#wide(vertices, lines);
    } else {
      this.points = this.#geometry(position, null);
    }
  }

  #geometry(position, index) {
    const made = new BufferGeometry();
    made.setAttribute('position', position);
    if (index) made.setIndex(new BufferAttribute(index, 1));
    made.boundingSphere = this.sphere;
    return made;
  }

  /** Four corners for every line; the shader moves them apart. */
  #wide(vertices, lines) {
    const count = lines.length / 2;
    const position = new Float32Array(count * 12);
    const other = new Float32Array(count * 12);
    const side = new Float32Array(count * 4);
    const index = new Uint32Array(count * 6);
    for (let line = 0; line < count; line++) {
      for (let corner = 0; corner < 4; corner++) {
        const end = corner >> 1;
        const at = (line * 4 + corner) * 3;
        for (let axis = 0; axis < 3; axis++) {
          position[at + axis] = vertices[lines[2 * line + end] * 3 + axis];
          other[at + axis] = vertices[lines[2 * line + 1 - end] * 3 + axis];
        }
        // Seen from the other end, left and right are exchanged.
        side[line * 4 + corner] = (corner & 1) === end ? 1 : -1;
      }
      const first = line * 4;
      index.set([first, first + 1, first + 2, first + 2, first + 1, first + 3], line * 6);
    }
    const made = this.#geometry(new BufferAttribute(position, 3), index);
    made.setAttribute('other', new BufferAttribute(other, 3));
    made.setAttribute('side', new BufferAttribute(side, 1));
    return made;
  }
}

/** A ball about points: that of the middle of their box. */
function sphereOf(vertices) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < vertices.length; i += 3) {
    for (let axis = 0; axis < 3; axis++) {
      const x = vertices[i + axis];
      if (x < low[axis]) low[axis] = x;
      if (x > high[axis]) high[axis] = x;
    }
  }
  const center = vertices.length ? low.map((x, axis) => (x + high[axis]) / 2) : [0, 0, 0];
  let square = 0;
  for (let i = 0; i < vertices.length; i += 3) {
    const [x, y, z] = [vertices[i] - center[0], vertices[i + 1] - center[1], vertices[i + 2] - center[2]];
    square = Math.max(square, x * x + y * y + z * z);
  }
  return new Sphere(new Vector3(...center), Math.sqrt(square));
}

/** Files have solids that are inside out, too; the faces that are drawn are those outside. */
function turnOut(v, triangles) {
  let volume = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [triangles[t] * 3, triangles[t + 1] * 3, triangles[t + 2] * 3];
    volume += v[a] * (v[b + 1] * v[c + 2] - v[b + 2] * v[c + 1]) + v[a + 1] * (v[b + 2] * v[c] - v[b] * v[c + 2]) + v[a + 2] * (v[b] * v[c + 1] - v[b + 1] * v[c]);
  }
  if (volume >= 0) return;
  for (let t = 0; t < triangles.length; t += 3) [triangles[t + 1], triangles[t + 2]] = [triangles[t + 2], triangles[t + 1]];
}

/** Normals of vertices: the sum of those of the faces around them, by area. */
function normalsOf(v, triangles) {
  const normals = new Float32Array(v.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [triangles[t] * 3, triangles[t + 1] * 3, triangles[t + 2] * 3];
    const ux = v[b] - v[a], uy = v[b + 1] - v[a + 1], uz = v[b + 2] - v[a + 2];
    const wx = v[c] - v[a], wy = v[c + 1] - v[a + 1], wz = v[c + 2] - v[a + 2];
    const x = uy * wz - uz * wy, y = uz * wx - ux * wz, z = ux * wy - uy * wx;
    for (let corner = 0; corner < 3; corner++) {
      const at = triangles[t + corner] * 3;
      normals[at] += x;
      normals[at + 1] += y;
      normals[at + 2] += z;
    }
  }
  for (let i = 0; i < normals.length; i += 3) {
    const length = Math.hypot(normals[i], normals[i + 1], normals[i + 2]) || 1;
    normals[i] /= length;
    normals[i + 1] /= length;
    normals[i + 2] /= length;
  }
  return normals;
}
