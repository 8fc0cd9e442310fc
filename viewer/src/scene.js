// The bodies in three.js. One unit here is the report's radius, about the report's origin: far-away and tiny scenes look like any other.

import { CircleGeometry, LineSegments, Matrix4, Mesh, Points, Quaternion, Raycaster, Scene as Root, Vector3, Vector4, WebGLRenderer } from 'three';
import { Materials, uniforms } from './materials.js';
import { poseAt } from './motion.js';
import { ShapeGeometry } from './shapes.js';

/** How far half-spaces and the ground are drawn. */
const PLANE_RADIUS = 2.4;
/** What is drawn after what; edges follow their faces by being transparent. */
const ORDER = { ghost: 2, clear: 3, a: 4, b: 4 };
/** Without a graphics card, smooth outlines of more triangles than this would take twice the time to open the page. */
const SMOOTH_IN_SOFTWARE = 200_000;
/** Corners of triangles of meshes that can be asked about a hundred rays in no time. */
const MOST_ASKED = 60_000;
const NO_SECTION = new Vector4(0, 0, 0, 1e30);

export class Scene {
  /** Throws where there is no WebGL. */
  constructor(canvas, report, geometry) {
    this.report = report;
    const antialias = countTriangles(report) < SMOOTH_IN_SOFTWARE || !isSoftware();
    this.renderer = new WebGLRenderer({ canvas, antialias, powerPreference: 'high-performance' });
    this.renderer.sortObjects = true;
    this.materials = new Materials();
    this.root = new Root();
    // All matrices are set here, in double precision.
    this.root.matrixWorldAutoUpdate = false;
    this.frames = 0;
    this.section = null;
    this.edges = true;
    this.time = 0;
    this.pieces = { which: 'none', spread: 0 };
    this.up = new Vector3(...report.up);
    const shapes = new Map();
    const shapeOf = (index) => {
      if (!shapes.has(index)) shapes.set(index, new ShapeGeometry(report.shapes[index], geometry));
      return shapes.get(index);
    };
    this.shapeOf = shapeOf;
    this.disc = new CircleGeometry(1, 96);
    const groups = [...new Set(report.bodies.map((body) => body.group).filter(Boolean))];
    this.bodies = report.bodies.map((body, index) => {
      const tint = body.group ? 1 + groups.indexOf(body.group) : 0;
      const track = body.track ? geometry.track(body.track) : null;
      return new BodyView(this, body, index, shapeOf(body.shape), tint, track);
    });
    this.ground = new Mesh(this.disc, this.materials.plane('ghost', 25));
    this.ground.matrixAutoUpdate = false;
    this.ground.renderOrder = -1;
    this.root.add(this.ground);
    this.setTime(0);
    this.placeGround();
  }

  /** A point of the report, in the units of the scene. */
  toScene(point) {
    const { origin, radius } = this.report;
    return new Vector3(...point.map((x, axis) => (x - origin[axis]) / radius));
  }

  /** A vector of the report. */
  toSceneVector(vector) {
    return new Vector3(...vector.map((x) => x / this.report.radius));
  }

  setTime(time) {
    this.time = time;
    for (const body of this.bodies) if (body.track || !body.placed) body.place(time);
  }

  /** Gives every body its look: `look(index)` is plain, overlap, undecided, a, b, ghost or hidden. */
  setLooks(look) {
    for (const body of this.bodies) body.setLook(look(body.index));
  }

  setPieces(pieces) {
    this.pieces = pieces;
    this.#lookAgain();
  }

  /** A plane {normal, offset} that cuts away what is beyond it, or null. */
  setSection(section) {
    const changes = Boolean(section) !== Boolean(this.section);
    this.section = section;
    if (changes) this.#lookAgain();
  }

  setEdges(shown) {
    this.edges = shown;
    this.#lookAgain();
  }

  #lookAgain() {
    for (const body of this.bodies) body.setLook(body.look);
  }

  /** The ground is where the lowest body is, unless a floor is part of the scene. */
  placeGround() {
    const isFloor = (body) => body.shape.isPlane && Math.abs(new Vector3(...body.shape.shape.normal).dot(this.up)) > 0.99;
    let low = Infinity;
    for (const body of this.bodies) if (!body.shape.isPlane) low = Math.min(low, body.center.dot(this.up) - body.radius);
    this.ground.visible = !this.bodies.some(isFloor) && Number.isFinite(low);
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), this.up);
    const scale = new Vector3(PLANE_RADIUS, PLANE_RADIUS, PLANE_RADIUS);
    this.ground.matrix.compose(this.up.clone().multiplyScalar(Math.max(low, -1.2)), turn, scale);
    this.ground.matrixWorld.copy(this.ground.matrix);
  }

  /** The balls about all that is shown and has an end. */
  balls(bodies = this.bodies) {
    return bodies.filter((body) => body.look !== 'hidden' && !body.shape.isPlane);
  }

  /** A ball about what is shown, or about some bodies. */
  bounds(bodies = this.balls()) {
    const low = new Vector3(Infinity, Infinity, Infinity);
    const high = new Vector3(-Infinity, -Infinity, -Infinity);
    for (const body of bodies) {
      if (body.shape.isPlane) continue;
      const reach = new Vector3(body.radius, body.radius, body.radius);
      low.min(body.center.clone().sub(reach));
      high.max(body.center.clone().add(reach));
    }
    if (!(low.x <= high.x)) return { center: new Vector3(), radius: 1 };
    const center = low.clone().add(high).multiplyScalar(0.5);
    let radius = 0;
    for (const body of bodies) if (!body.shape.isPlane) radius = Math.max(radius, body.center.distanceTo(center) + body.radius);
    return { center, radius: Math.max(radius, 1e-7) };
  }

  /** `pixels` are those of the screen for each of the page. */
  resize(width, height, pixels) {
    this.renderer.setPixelRatio(pixels);
    this.renderer.setSize(width, height, false);
    uniforms.pixel.value = pixels;
    uniforms.viewport.value.set(width * pixels, height * pixels, pixels);
  }

  setTheme(name) {
    this.materials.setTheme(name);
    this.renderer.setClearColor(this.materials.theme.background);
  }

  render(camera) {
    uniforms.up.value.copy(this.up).transformDirection(camera.matrixWorldInverse);
    if (this.section) {
      const { normal, offset } = this.section;
      const n = normal.clone().transformDirection(camera.matrixWorldInverse);
      const on = normal.clone().multiplyScalar(offset).applyMatrix4(camera.matrixWorldInverse);
      uniforms.section.value.set(n.x, n.y, n.z, n.dot(on));
    } else {
      uniforms.section.value.copy(NO_SECTION);
    }
    this.renderer.render(this.root, camera);
    this.frames++;
  }

  /** How many triangles are drawn. */
  get triangles() {
    return this.bodies.reduce((sum, body) => sum + (body.look === 'hidden' ? 0 : body.triangles), 0);
  }

  /** As `render`, but without the bodies that look smallest: about so many triangles, while the scene moves and a whole frame would be slow. */
  renderRough(camera, budget) {
    const eye = camera.position;
    const size = (body) => (body.look === 'a' || body.look === 'b' || body.shape.isPlane ? Infinity : body.radius / Math.max(body.center.distanceTo(eye), 1e-9));
    const shown = this.bodies.filter((body) => body.look !== 'hidden').map((body) => ({ body, size: size(body) }));
    shown.sort((one, two) => two.size - one.size);
    const left = [];
    let sum = 0;
    for (const { body, size } of shown) {
      sum += body.triangles;
      if (sum <= budget || size === Infinity) continue;
      left.push(...body.drawn.filter((part) => part.visible));
    }
    for (const part of left) part.visible = false;
    this.render(camera);
    for (const part of left) part.visible = true;
  }

  /** Waits until what was asked for is drawn. */
  finish() {
    const gl = this.renderer.getContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }

  /** The body at a place of the screen, from -1 to 1, and where it is hit. */
  pick(x, y, camera, reach) {
    const ray = new Raycaster();
    ray.setFromCamera({ x, y }, camera);
    ray.params.Line.threshold = ray.params.Points.threshold = reach;
    const candidates = [];
    for (const body of this.bodies) if (body.look !== 'hidden') candidates.push(...body.drawn.filter((part) => part.userData.pickable));
    const seen = ray.intersectObjects(candidates, false).filter(({ point }) => !this.isCut(point));
    // A ghost in front of the pair is looked through, and floors are behind everything.
    const rank = ({ object }) => ({ ghost: 2 }[this.bodies[object.userData.body].look] ?? (object.userData.isPlane ? 1 : 0));
    seen.sort((one, two) => rank(one) - rank(two) || one.distance - two.distance);
    return seen.length ? { body: this.bodies[seen[0].object.userData.body], point: seen[0].point } : null;
  }

  /** Which of some bodies are between a point and an eye in that direction? Very large meshes are not asked. */
  inTheWay(point, direction, bodies) {
    const ray = new Raycaster(point, direction, 1e-5, 100);
    return bodies.filter((body) => body.drawn.some((part) => part.isMesh && !part.userData.isPlane && part.geometry.index?.count < MOST_ASKED && ray.intersectObject(part, false).length > 0));
  }

  isCut(point) {
    return Boolean(this.section) && point.dot(this.section.normal) > this.section.offset;
  }
}

/** What is drawn of one body. */
class BodyView {
  constructor(scene, body, index, shape, tint, track) {
    this.scene = scene;
    this.body = body;
    this.index = index;
    this.shape = shape;
    this.tint = tint;
    this.track = track;
    this.triangles = shape.shape.triangles?.[1] ?? 0;
    this.look = 'plain';
    this.isClear = false;
    this.placed = false;
    /** Where it is drawn beside its place, in units of the scene: while it is moved free. */
    this.offset = new Vector3();
    this.center = new Vector3();
    this.radius = 0;
    this.translation = [0, 0, 0];
    this.rotation = [0, 0, 0, 1];
    this.whole = this.#parts(shape);
    this.parts = null;
    this.drawn = this.whole;
    for (const part of this.whole) scene.root.add(part);
  }

  /** The objects for a shape: faces and edges, or what there is instead. */
  #parts(shape) {
    const { scene } = this;
    const parts = [];
    const add = (object, pickable) => {
      object.matrixAutoUpdate = false;
      object.userData = { body: this.index, pickable, isPlane: shape.isPlane, shape };
      parts.push(object);
    };
    if (shape.isPlane) add(new Mesh(scene.disc), true);
    if (shape.surface) add(new Mesh(shape.surface), true);
    if (shape.lines) add(new LineSegments(shape.lines), false);
    if (shape.wide) {
      const wide = new Mesh(shape.wide);
      // The corners of a wide line have no area before the shader moves them; it is picked as the line it is.
      wide.raycast = (ray, hits) => pickLines(wide, ray, hits);
      add(wide, true);
    }
    if (shape.points) add(new Points(shape.points), true);
    return parts;
  }

  /** Moves it to where it is at a time. */
  place(time = this.scene.time) {
    const { report } = this.scene;
    poseAt(this.body, this.track, report, time, this.translation, this.rotation);
    this.placed = true;
    for (const part of this.drawn) this.#place(part);
    if (this.shape.isPlane) return;
    const main = this.whole[0];
    if (this.drawn !== this.whole && main) this.#place(main);
    if (main) this.center.copy(this.shape.sphere.center).applyMatrix4(main.matrixWorld);
    this.radius = this.shape.sphere.radius;
  }

  #place(part) {
    const { shape } = part.userData;
    const { origin, radius } = this.scene.report;
    if (shape.isPlane) return this.#placePlane(part);
    const m = rotationMatrix(this.rotation);
    const o = shape.shape.origin;
    const at = [0, 1, 2].map((i) => (this.translation[i] - origin[i] + m[i] * o[0] + m[3 + i] * o[1] + m[6 + i] * o[2]) / radius);
    const shift = part.userData.spread ?? null;
    const [x, y, z] = [0, 1, 2].map((i) => {
      const away = shift ? m[i] * shift[0] + m[3 + i] * shift[1] + m[6 + i] * shift[2] : 0;
      return at[i] + away + this.offset.getComponent(i);
    });
    part.matrixWorld.set(m[0], m[3], m[6], x, m[1], m[4], m[7], y, m[2], m[5], m[8], z, 0, 0, 0, 1);
  }

  /** The disc lies in the boundary, about the point that is nearest to the middle of the scene. */
  #placePlane(part) {
    const { origin, radius } = this.scene.report;
    const { normal, offset } = this.shape.shape;
    const turn = new Quaternion(...this.rotation);
    const n = new Vector3(...normal).normalize().applyQuaternion(turn);
    // Every point p of the boundary has n . (p - translation) = offset.
    const away = n.x * (this.translation[0] - origin[0]) + n.y * (this.translation[1] - origin[1]) + n.z * (this.translation[2] - origin[2]) + offset;
    const center = n.clone().multiplyScalar(away / radius).add(this.offset);
    const basis = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), n);
    part.matrixWorld.copy(new Matrix4().compose(center, basis, new Vector3(PLANE_RADIUS, PLANE_RADIUS, PLANE_RADIUS)));
    this.center.copy(center);
    this.radius = 0;
  }

  /** `isClear` lets one see through it to the other of the pair. */
  setLook(look, isClear = this.isClear && look === this.look) {
    this.look = look;
    this.isClear = isClear;
    this.#choose(look);
    const { materials } = this.scene;
    for (const part of this.drawn) {
      part.visible = look !== 'hidden' && (this.scene.edges || !part.isLineSegments);
      if (!part.visible) continue;
      const { shape } = part.userData;
      const tint = look === 'plain' || look === 'overlap' || look === 'undecided' ? this.tint : 0;
      if (shape.isPlane) part.material = materials.plane(look, 25);
      else if (part.isLineSegments) part.material = materials.edges(look);
      else if (part.isPoints) part.material = materials.point(look, tint);
      else if (shape.wide) part.material = materials.wide(look, tint);
      else if (this.drawn !== this.whole && look !== 'ghost') part.material = materials.surface('piece', part.userData.piece, shape.isSmooth, this.#faces(true), look === 'a' || look === 'b');
      else part.material = materials.surface(this.isClear ? `${look} clear` : look, tint, shape.isSmooth, this.#faces(this.isSolid));
      part.renderOrder = shape.isPlane ? 1 : this.isClear ? ORDER.clear : ORDER[look] ?? 0;
    }
  }

  /** What has to be drawn of faces: those of shells on both sides, those of solids outside, and inside where they are cut. */
  #faces(isSolid) {
    return isSolid ? (this.scene.section ? 'cut' : 'outside') : 'both';
  }

  get isSolid() {
    const { kind, solid } = this.shape.shape;
    return solid ?? !['triangle', 'segment', 'point'].includes(kind);
  }

  /** Whole or in pieces, which are made when they are first asked for. */
  #choose(look) {
    const { which, spread } = this.scene.pieces;
    const indices = this.shape.shape.pieces;
    const wanted = Boolean(indices) && (which === 'all' || (which === 'pair' && (look === 'a' || look === 'b')));
    if (wanted && !this.parts) {
      this.parts = indices.flatMap((index, piece) => {
        const parts = this.#parts(this.scene.shapeOf(index));
        for (const part of parts) part.userData.piece = piece;
        return parts;
      });
    }
    const drawn = wanted ? this.parts : this.whole;
    if (drawn !== this.drawn) {
      for (const part of this.drawn) this.scene.root.remove(part);
      for (const part of drawn) this.scene.root.add(part);
      this.drawn = drawn;
    }
    if (!wanted) return;
    const middle = this.#localCenter(this.shape);
    for (const part of this.parts) {
      const center = this.#localCenter(part.userData.shape);
      part.userData.spread = center.map((x, axis) => (x - middle[axis]) * spread);
      this.#place(part);
    }
  }

  /** The middle of a shape in the frame of the body, in units of the scene. */
  #localCenter({ sphere, shape }) {
    return sphere.center.toArray().map((x, axis) => x + shape.origin[axis] / this.scene.report.radius);
  }

  setOffset(offset) {
    this.offset.copy(offset);
    this.place();
  }
}

function countTriangles({ bodies, shapes }) {
  return bodies.reduce((sum, body) => sum + (shapes[body.shape].triangles?.[1] ?? 0), 0);
}

/** Is it the processor that draws? */
function isSoftware() {
  const gl = document.createElement('canvas').getContext('webgl2');
  const name = String(gl?.getParameter(gl.RENDERER) ?? '');
  const more = gl?.getExtension('WEBGL_debug_renderer_info');
  const full = more ? String(gl.getParameter(more.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name + full);
}

/** Columns of the rotation of a unit quaternion. */
function rotationMatrix([x, y, z, w]) {
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w),
    2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
    2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y),
  ];
}

/** Hits of a ray with wide lines, as those of three.js with thin ones. */
function pickLines(object, { ray, params }, hits) {
  const { position, other } = object.geometry.attributes;
  const [start, end, onRay, onLine] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
  for (let i = 0; i < position.count; i += 4) {
    start.fromBufferAttribute(position, i).applyMatrix4(object.matrixWorld);
    end.fromBufferAttribute(other, i).applyMatrix4(object.matrixWorld);
    if (ray.distanceSqToSegment(start, end, onRay, onLine) > params.Line.threshold ** 2) continue;
    hits.push({ distance: ray.origin.distanceTo(onRay), point: onLine.clone(), object });
  }
}
