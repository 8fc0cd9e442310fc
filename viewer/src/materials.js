// How bodies look. Colours are those of Okabe and Ito, which people tell apart whatever colours they see; what matters also has a pattern.

import { Color, ColorManagement, DoubleSide, FrontSide, ShaderMaterial, Vector3, Vector4 } from 'three';

// Colours here are those of the screen, and are mixed as such.
ColorManagement.enabled = false;

/** The colours of a theme, as in `style.css`. */
export const THEMES = {
  light: {
    background: '#eef1f4',
    tints: ['#c5ccd4', '#b5c1cc', '#ccc7bd', '#b9c7bf', '#c8bfca'],
    edge: '#3c4650',
    wire: '#3c4650',
    ghost: '#7d8b99',
    ground: '#8795a3',
    overlap: '#d55e00',
    undecided: '#7d2f68',
    a: '#e69f00',
    b: '#0072b2',
    cap: '#59636e',
    pieces: ['#e69f00', '#56b4e9', '#009e73', '#f0e442', '#0072b2', '#d55e00', '#cc79a7', '#999999'],
  },
  dark: {
    background: '#15191e',
    tints: ['#8d97a2', '#7d8c9b', '#979187', '#839288', '#93899a'],
    edge: '#0a0d10',
    wire: '#c5ced6',
    ghost: '#8fa1b3',
    ground: '#6d7b89',
    overlap: '#e8702a',
    undecided: '#e7a3cf',
    a: '#f0b030',
    b: '#56b4e9',
    cap: '#c5ced6',
    pieces: ['#e69f00', '#56b4e9', '#009e73', '#f0e442', '#3f8fc5', '#d55e00', '#cc79a7', '#999999'],
  },
};

/** What all materials share; the scene sets them before it draws. */
const shared = {
  // In the space of the camera, where numbers are small wherever the scene is: what has dot(plane.xyz, p) > plane.w is cut away.
  section: { value: new Vector4(0, 0, 0, 1) },
  up: { value: new Vector3(0, 1, 0) },
  pixel: { value: 1 },
  viewport: { value: new Vector3(1, 1, 1) },
  capColor: { value: new Color() },
  mark: { value: new Color() },
};

export const uniforms = shared;

const CUT = `
uniform vec4 section;
void cut(vec3 p) { if (dot(section.xyz, p) > section.w) discard; }`;

const SURFACE_VERTEX = `
varying vec3 vView;
#ifdef SMOOTH
varying vec3 vNormal;
#endif
void main() {
  vec4 p = modelViewMatrix * vec4(position, 1.0);
  vView = p.xyz;
#ifdef SMOOTH
  vNormal = normalMatrix * normal;
#endif
  gl_Position = projectionMatrix * p;
}`;

const SURFACE_FRAGMENT = `
uniform vec3 color;
uniform vec3 mark;
uniform float alpha;
uniform vec3 up;
uniform float pixel;
uniform vec3 capColor;
varying vec3 vView;
#ifdef SMOOTH
varying vec3 vNormal;
#endif
${CUT}
/* Lines of 45 degrees on the screen: 1 on them, 0 between. */
float hatch(float period, float part) {
  float x = abs(fract((gl_FragCoord.x + gl_FragCoord.y) / (period * pixel)) - 0.5) * 2.0;
  float soft = 1.5 / period;
  return smoothstep(part - soft, part + soft, x);
}
void main() {
  cut(vView);
#ifdef SMOOTH
  vec3 n = normalize(vNormal);
  n = gl_FrontFacing ? n : -n;
#else
  vec3 n = normalize(cross(dFdx(vView), dFdy(vView)));
#endif
#ifdef GHOST
  float rim = 1.0 - abs(n.z);
  gl_FragColor = vec4(color, alpha * (0.35 + 1.9 * rim * rim));
#else
  float key = max(dot(n, vec3(0.40, 0.62, 0.68)), 0.0);
  float fill = max(dot(n, vec3(-0.75, 0.10, 0.65)), 0.0);
  float sky = 0.5 + 0.5 * dot(n, up);
  vec3 base = color;
#ifdef DOTTED
  /* A dot at every crossing of two lines of 45 degrees. */
  vec2 cell = fract(vec2(gl_FragCoord.x + gl_FragCoord.y, gl_FragCoord.x - gl_FragCoord.y) / (9.0 * pixel)) - 0.5;
  base = mix(mix(color, mark, 0.22), mark, 1.0 - smoothstep(0.22, 0.34, length(cell)));
#endif
#ifdef MARKED
  base = mix(mix(color, mark, 0.68), mark * 0.94, hatch(10.0, 0.5));
#endif
  vec3 lit = base * (0.56 + 0.16 * sky + 0.34 * key + 0.10 * fill);
#ifdef SOLID
  /* Who sees the inside of a solid looks through its cut face, which is painted there; edges inside are behind it. */
  gl_FragDepth = gl_FragCoord.z;
  if (!gl_FrontFacing) {
    lit = mix(base, capColor, 0.08 + 0.5 * hatch(8.0, 0.70));
    gl_FragDepth -= 4e-5;
  }
#endif
  gl_FragColor = vec4(lit, alpha);
#endif
}`;

const LINE_VERTEX = `
varying vec3 vView;
void main() {
  vec4 p = modelViewMatrix * vec4(position, 1.0);
  vView = p.xyz;
  gl_Position = projectionMatrix * p;
}`;

const LINE_FRAGMENT = `
uniform vec3 color;
uniform float alpha;
varying vec3 vView;
${CUT}
void main() {
  cut(vView);
  gl_FragColor = vec4(color, alpha);
}`;

/* A line of some pixels: every end is there twice, and steps aside on the screen. */
const WIDE_VERTEX = `
attribute vec3 other;
attribute float side;
uniform vec3 viewport;
uniform float width;
varying vec3 vView;
void main() {
  vec4 p = modelViewMatrix * vec4(position, 1.0);
  vec4 q = modelViewMatrix * vec4(other, 1.0);
  vView = p.xyz;
  gl_Position = projectionMatrix * p;
  vec4 end = projectionMatrix * q;
  vec2 along = (end.xy / max(abs(end.w), 1e-9) - gl_Position.xy / max(abs(gl_Position.w), 1e-9)) * viewport.xy;
  vec2 step = normalize(vec2(-along.y, along.x) + 1e-9) * width * viewport.z / viewport.xy;
  gl_Position.xy += step * side * gl_Position.w;
}`;

const POINT_VERTEX = `
uniform float pixel;
uniform float width;
varying vec3 vView;
void main() {
  vec4 p = modelViewMatrix * vec4(position, 1.0);
  vView = p.xyz;
  gl_Position = projectionMatrix * p;
  gl_PointSize = width * 2.5 * pixel;
}`;

const POINT_FRAGMENT = `
uniform vec3 color;
uniform float alpha;
varying vec3 vView;
${CUT}
void main() {
  cut(vView);
  if (length(gl_PointCoord - 0.5) > 0.5) discard;
  gl_FragColor = vec4(color, alpha);
}`;

/* A disc with a grid that fades towards its rim. A section leaves it: one sees through it anyway. */
const PLANE_VERTEX = `
varying vec2 vPlace;
void main() {
  vPlace = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const PLANE_FRAGMENT = `
uniform vec3 color;
uniform float alpha;
uniform float cells;
varying vec2 vPlace;
float grid(float count) {
  vec2 at = vPlace * count;
  vec2 near = abs(fract(at - 0.5) - 0.5) / max(fwidth(at), 1e-6);
  return 1.0 - min(min(near.x, near.y), 1.0);
}
void main() {
  float fade = 1.0 - smoothstep(0.35, 1.0, length(vPlace));
  gl_FragColor = vec4(color, alpha * fade * (0.24 + 0.45 * grid(cells) + 0.5 * grid(cells / 5.0)));
}`;

/** Materials by look, made once each; changing the theme changes them in place. */
export class Materials {
  #made = new Map();
  #theme = THEMES.light;
  #alpha = 1;

  get theme() {
    return this.#theme;
  }

  setTheme(name) {
    this.#theme = THEMES[name];
    shared.capColor.value.set(this.#theme.cap);
    shared.mark.value.set(this.#theme.overlap);
    this.#update();
  }

  /** The opacity of everything that is not a ghost. */
  setOpacity(alpha) {
    this.#alpha = alpha;
    this.#update();
  }

  #update() {
    for (const { material, look } of this.#made.values()) this.#paint(material, look);
  }

  #paint(material, look) {
    material.uniforms.color.value.set(look.color(this.#theme));
    const alpha = look.ghost ? look.alpha : look.alpha * (look.fades === false ? 1 : this.#alpha);
    material.uniforms.alpha.value = alpha;
    // The pair comes after the ghosts, so that none is in front of it; three.js draws what is transparent last, in the order it is told.
    material.transparent = look.ghost || alpha < 1 || Boolean(look.last);
    material.depthWrite = !look.ghost && !look.flatOnTop && (alpha === 1 || Boolean(look.thick));
  }

  #get(key, look, make) {
    let entry = this.#made.get(key);
    if (!entry) {
      const material = make();
      material.uniforms = { ...shared, color: { value: new Color() }, alpha: { value: 1 }, ...look.more };
      entry = { material, look };
      this.#made.set(key, entry);
      this.#paint(material, look);
    }
    return entry.material;
  }

  /**
   * Triangles. `state` is one of plain, overlap, undecided, a, b, ghost, piece; `tint` chooses among its colours.
   * `faces` are those outside, those on both sides, or those of a solid that is cut and painted where the section is.
   */
  surface(state, tint, smooth, faces, last = /^[ab]/.test(state)) {
    const ghost = state === 'ghost';
    const clear = state.endsWith(' clear');
    const defines = {};
    if (smooth) defines.SMOOTH = 1;
    if (ghost) defines.GHOST = 1;
    if (faces === 'cut' && !ghost) defines.SOLID = 1;
    if (state === 'overlap') defines.MARKED = 1;
    if (state === 'undecided') defines.DOTTED = 1;
    const mark = { value: new Color() };
    const more = state === 'undecided' ? { mark } : undefined;
    const look = { color: (theme) => (more && mark.value.set(theme.undecided), colorOf(theme, state.split(' ')[0], tint)), more, alpha: ghost ? 0.10 : clear ? 0.18 : 1, ghost, last };
    return this.#get(`surface ${state} ${tint} ${smooth} ${faces} ${last}`, look, () =>
      // Faces step back a little, so that edges lie on top of them.
      new ShaderMaterial({ vertexShader: SURFACE_VERTEX, fragmentShader: SURFACE_FRAGMENT, defines, side: faces === 'outside' && !ghost ? FrontSide : DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
  }

  edges(state) {
    const ghost = state === 'ghost';
    const look = { color: (theme) => (ghost ? theme.ghost : theme.edge), alpha: ghost ? 0.16 : 0.55, ghost, flatOnTop: true };
    return this.#get(`edges ${ghost}`, look, () => new ShaderMaterial({ vertexShader: LINE_VERTEX, fragmentShader: LINE_FRAGMENT }));
  }

  /** Segments, which have no faces. */
  wide(state, tint) {
    const look = this.#thin(state, tint);
    return this.#get(`wide ${state} ${tint}`, look, () => new ShaderMaterial({ vertexShader: WIDE_VERTEX, fragmentShader: LINE_FRAGMENT, side: DoubleSide }));
  }

  point(state, tint) {
    const look = this.#thin(state, tint);
    return this.#get(`point ${state} ${tint}`, look, () => new ShaderMaterial({ vertexShader: POINT_VERTEX, fragmentShader: POINT_FRAGMENT }));
  }

  #thin(state, tint) {
    const ghost = state === 'ghost';
    const color = (theme) => ({ plain: theme.wire, overlap: theme.overlap, undecided: theme.undecided }[state] ?? colorOf(theme, state, tint));
    return { color, alpha: ghost ? 0.35 : 1, ghost, thick: true, last: state === 'a' || state === 'b', more: { width: { value: state === 'a' || state === 'b' ? 5 : 3 } } };
  }

  /** A half-space, or the ground. */
  plane(state, cells) {
    // A floor that something lies on would fill the view with stripes.
    if (state === 'overlap' || state === 'undecided') return this.plane('plain', cells);
    const strong = state !== 'plain' && state !== 'ghost';
    const color = (theme) => (strong ? colorOf(theme, state, 0) : theme.ground);
    const alpha = { plain: 0.5, ghost: 0.35 }[state] ?? 0.6;
    const look = { color, alpha, flatOnTop: true, fades: false, more: { cells: { value: cells } } };
    return this.#get(`plane ${state} ${cells}`, look, () => new ShaderMaterial({ vertexShader: PLANE_VERTEX, fragmentShader: PLANE_FRAGMENT, side: DoubleSide }));
  }
}

function colorOf(theme, state, tint) {
  // What overlaps keeps its own colour between the stripes: bodies side by side stay apart.
  if (state === 'plain' || state === 'overlap' || state === 'undecided') return theme.tints[tint % theme.tints.length];
  if (state === 'piece') return theme.pieces[tint % theme.pieces.length];
  return theme[state];
}
