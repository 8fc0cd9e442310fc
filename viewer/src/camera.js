// The camera: it turns about a point, flies to others, and is an eye or a drawing without perspective.

import { MathUtils, OrthographicCamera, PerspectiveCamera, Vector3 } from 'three';

const FIELD = 35;
const HALF = MathUtils.degToRad(FIELD / 2);
/** Straight up and down have no left and right; the camera stays this far from them. */
const POLE = 1e-3;
/** How long a flight takes, in milliseconds. */
const FLIGHT = 650;

/** Standard views: angle about the up axis from the front, and from the up axis. */
export const VIEWS = {
  1: { name: 'Front', theta: 0, phi: Math.PI / 2 },
  2: { name: 'Back', theta: Math.PI, phi: Math.PI / 2 },
  3: { name: 'Left', theta: -Math.PI / 2, phi: Math.PI / 2 },
  4: { name: 'Right', theta: Math.PI / 2, phi: Math.PI / 2 },
  5: { name: 'Top', theta: 0, phi: POLE },
  6: { name: 'Bottom', theta: 0, phi: Math.PI - POLE },
  7: { name: 'Isometric', theta: Math.PI / 4, phi: Math.acos(1 / Math.sqrt(3)) },
};

export class Camera {
  constructor(up) {
    this.perspective = new PerspectiveCamera(FIELD, 1, 0.01, 10);
    this.orthographic = new OrthographicCamera(-1, 1, 1, -1, 0.01, 10);
    this.isOrthographic = false;
    this.target = new Vector3();
    this.distance = 3;
    this.theta = 0.65;
    this.phi = 1.12;
    this.aspect = 1;
    this.flight = null;
    this.setUp(up);
  }

  /** The axes that angles are measured from: front, right and up. */
  setUp(up) {
    this.up = up.clone().normalize();
    const { x, y, z } = this.up;
    // What engineers call the front: seen along -y with z up, along +z with y up.
    const isZ = Math.abs(z) >= Math.max(Math.abs(x), Math.abs(y));
    const front = isZ ? new Vector3(0, -1, 0) : new Vector3(0, 0, 1);
    this.front = front.addScaledVector(this.up, -front.dot(this.up)).normalize();
    this.right = new Vector3().crossVectors(this.up, this.front);
  }

  get active() {
    return this.isOrthographic ? this.orthographic : this.perspective;
  }

  /** From the target to the eye. */
  direction(theta = this.theta, phi = this.phi) {
    const along = Math.sin(phi);
    return new Vector3()
      .addScaledVector(this.front, along * Math.cos(theta))
      .addScaledVector(this.right, along * Math.sin(theta))
      .addScaledVector(this.up, Math.cos(phi));
  }

  /** The angles of a direction. */
  anglesOf(direction) {
    const d = direction.clone().normalize();
    const phi = Math.acos(MathUtils.clamp(d.dot(this.up), -1, 1));
    return { theta: Math.atan2(d.dot(this.right), d.dot(this.front)), phi: MathUtils.clamp(phi, POLE, Math.PI - POLE) };
  }

  /** Sets the camera of three.js to what the fields say. */
  update() {
    const camera = this.active;
    camera.up.copy(this.up);
    camera.position.copy(this.target).addScaledVector(this.direction(), this.distance);
    camera.lookAt(this.target);
    // In proportion to the distance, the depth buffer is as fine as what is looked at.
    const behind = 4 + this.target.length();
    if (this.isOrthographic) {
      const half = this.distance * Math.tan(HALF);
      Object.assign(camera, { left: -half * this.aspect, right: half * this.aspect, top: half, bottom: -half });
      camera.near = -behind;
      camera.far = this.distance + behind;
    } else {
      camera.aspect = this.aspect;
      camera.near = this.distance * 0.02;
      camera.far = this.distance + behind;
    }
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
  }

  /** How much of the scene one pixel is, at the target. */
  pixelSize(height) {
    return (2 * this.distance * Math.tan(HALF)) / height;
  }

  rotate(dTheta, dPhi) {
    this.flight = null;
    this.theta += dTheta;
    this.phi = MathUtils.clamp(this.phi + dPhi, POLE, Math.PI - POLE);
  }

  /** Moves across the view, in pixels. */
  pan(dx, dy, height) {
    this.flight = null;
    const size = this.pixelSize(height);
    const { elements } = this.active.matrixWorld;
    this.target.addScaledVector(new Vector3(elements[0], elements[1], elements[2]), -dx * size);
    this.target.addScaledVector(new Vector3(elements[4], elements[5], elements[6]), dy * size);
    this.target.clampLength(0, 20);
  }

  /** Nearer by a factor, towards a place of the screen (-1 to 1). */
  zoom(factor, x = 0, y = 0) {
    this.flight = null;
    const distance = MathUtils.clamp(this.distance / factor, 1e-8, 50);
    const moved = (this.distance - distance) * Math.tan(HALF);
    const { elements } = this.active.matrixWorld;
    this.target.addScaledVector(new Vector3(elements[0], elements[1], elements[2]), x * moved * this.aspect);
    this.target.addScaledVector(new Vector3(elements[4], elements[5], elements[6]), y * moved);
    this.distance = distance;
  }

  /** How far away a ball fills the view. */
  distanceFor(radius) {
    const narrow = Math.min(1, this.aspect);
    return MathUtils.clamp((radius * 1.12) / (Math.sin(HALF) * narrow), 1e-8, 50);
  }

  /** Where to look at and from how far, so that balls {center, radius} just fit into the view of these angles. */
  framing(balls, theta = this.theta, phi = this.phi) {
    if (balls.length === 0) return { target: new Vector3(), distance: this.distanceFor(1) };
    const back = this.direction(theta, phi);
    const right = new Vector3().crossVectors(this.up, back).normalize();
    const axes = [right, new Vector3().crossVectors(back, right), back];
    const ranges = axes.map((axis) => balls.reduce(([low, high], { center, radius }) => {
      const x = axis.dot(center);
      return [Math.min(low, x - radius), Math.max(high, x + radius)];
    }, [Infinity, -Infinity]));
    const middle = ranges.map(([low, high]) => (low + high) / 2);
    const slopes = [Math.tan(HALF) * this.aspect, Math.tan(HALF)];
    let distance = 1e-7;
    for (const { center, radius } of balls) {
      const depth = axes[2].dot(center) - middle[2];
      slopes.forEach((slope, i) => {
        const aside = Math.abs(axes[i].dot(center) - middle[i]);
        distance = Math.max(distance, depth + (aside + radius * Math.hypot(1, slope)) / slope);
      });
    }
    const target = new Vector3();
    axes.forEach((axis, i) => target.addScaledVector(axis, middle[i]));
    return { target, distance: Math.min(distance * 1.1, 50) };
  }

  /** Flies to a place; what is not given stays. Those who asked for less motion are there at once. */
  flyTo({ target = this.target, distance = this.distance, theta = this.theta, phi = this.phi }, now = performance.now()) {
    const turn = Math.atan2(Math.sin(theta - this.theta), Math.cos(theta - this.theta));
    const to = { target: target.clone(), distance, theta: this.theta + turn, phi: MathUtils.clamp(phi, POLE, Math.PI - POLE) };
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
      Object.assign(this, to);
      this.flight = null;
      return;
    }
    const from = { target: this.target.clone(), distance: this.distance, theta: this.theta, phi: this.phi };
    this.flight = { from, to, start: now };
  }

  /** Goes on with a flight; false once there is none. */
  step(now) {
    if (!this.flight) return false;
    const { from, to, start } = this.flight;
    const part = MathUtils.clamp((now - start) / FLIGHT, 0, 1);
    const eased = part * part * (3 - 2 * part);
    this.target.lerpVectors(from.target, to.target, eased);
    // Distances by ratio: the flight to a tiny gap is as even as one across the room.
    this.distance = from.distance * (to.distance / from.distance) ** eased;
    this.theta = MathUtils.lerp(from.theta, to.theta, eased);
    this.phi = MathUtils.lerp(from.phi, to.phi, eased);
    if (part === 1) {
      Object.assign(this, { distance: to.distance, theta: to.theta, phi: to.phi });
      this.flight = null;
    }
    return true;
  }

  /** The angles that show a direction from the side, near to the present ones, and where `isHidden(direction)` is false if that can be. */
  anglesAcross(normal, isHidden = () => false) {
    const now = this.direction();
    const views = [];
    for (let i = 0; i < 24; i++) {
      for (const phi of [0.45, 0.8, 1.05, 1.3, 1.57]) {
        const theta = (i / 24) * 2 * Math.PI;
        const d = this.direction(theta, phi);
        // Seen along the normal a gap has no length; exactly from the side, plates have no width; a little from above bodies look like bodies.
        const along = Math.abs(d.dot(normal)) - 0.3;
        views.push({ theta, phi, d, cost: (along > 0 ? 4 : -1) * along + 0.35 * (1 - d.dot(now)) + 0.4 * Math.abs(phi - 1.1) });
      }
    }
    views.sort((one, two) => one.cost - two.cost);
    const { theta, phi, d } = views.find((view) => !isHidden(view.d)) ?? views[0];
    return { theta, phi, isHidden: isHidden(d) };
  }

  /** A place of the scene on the screen, in pixels from the top left; null behind the eye. */
  project(point, width, height) {
    const p = point.clone().project(this.active);
    if (!Number.isFinite(p.x) || p.z > 1 || p.z < -1) return null;
    return { x: ((p.x + 1) / 2) * width, y: ((1 - p.y) / 2) * height };
  }
}
