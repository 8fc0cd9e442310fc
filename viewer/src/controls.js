// Mouse, touch and keys on the view.

const TURN = 0.0075;
const KEY_TURN = Math.PI / 24;

/** Lets a canvas turn, move and zoom a camera. `on.change()` follows every step; `on.click(x, y)` and `on.focus(x, y)` get places from -1 to 1. */
export function control(canvas, camera, on) {
  const pointers = new Map();
  let moved = 0;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2];
  };
  const spread = () => {
    const [one, two] = [...pointers.values()];
    return { distance: Math.hypot(one.x - two.x, one.y - two.y), x: (one.x + two.x) / 2, y: (one.y + two.y) / 2 };
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    // The ring about the view is for those who came with the keyboard.
    canvas.focus({ preventScroll: true, focusVisible: false });
    if (pointers.size === 0) moved = 0;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  canvas.addEventListener('pointermove', (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const before = pointers.size === 2 ? spread() : null;
    const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
    moved += Math.abs(dx) + Math.abs(dy);
    last.x = event.clientX;
    last.y = event.clientY;
    if (before) {
      const after = spread();
      camera.pan(after.x - before.x, after.y - before.y, canvas.clientHeight);
      if (before.distance > 0) camera.zoom(after.distance / before.distance, ...place({ clientX: after.x, clientY: after.y }));
    } else if (pointers.size === 1) {
      const pans = event.buttons & 6 || event.shiftKey || event.ctrlKey || event.metaKey;
      if (pans) camera.pan(dx, dy, canvas.clientHeight);
      else camera.rotate(-dx * TURN, -dy * TURN);
    }
    on.change();
  });
  const lift = (event) => {
    const wasOne = pointers.size === 1;
    const known = pointers.delete(event.pointerId);
    // A click is a press without a way.
    if (known && wasOne && moved < 6 && event.type === 'pointerup' && event.button === 0) on.click(...place(event));
  };
  canvas.addEventListener('pointerup', lift);
  canvas.addEventListener('pointercancel', lift);
  canvas.addEventListener('dblclick', (event) => on.focus(...place(event)));
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 20 : 1;
    const factor = Math.exp(-Math.max(Math.min(event.deltaY * lines, 240), -240) * 0.0018);
    camera.zoom(factor, ...place(event));
    on.change();
  }, { passive: false });
  canvas.addEventListener('keydown', (event) => {
    const step = 40;
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key];
    if (!way || event.altKey || event.metaKey) return;
    if (event.shiftKey || event.ctrlKey) camera.pan(-way[0] * step, -way[1] * step, canvas.clientHeight);
    else camera.rotate(way[0] * KEY_TURN, way[1] * KEY_TURN);
    event.preventDefault();
    on.change();
  });
}
