// Keys that work anywhere on the page, but for text fields.

import { button, el } from './dom.js';

const KEYS = [
  ['↑ ↓', 'in the list: the finding before and after'],
  ['N, B', 'the next finding, the one before'],
  ['arrows', 'in the scene: turn; with Shift: move'],
  ['+ −', 'nearer, farther'],
  ['F', 'show everything; with Shift: the chosen pair'],
  ['1 … 7', 'front, back, left, right, top, bottom, isometric'],
  ['O', 'with and without perspective'],
  ['M', 'move it free, and back'],
  ['space', 'play and pause'],
  ['/', 'search'],
  ['P', 'save a picture'],
  ['Esc', 'choose nothing, show all'],
];

export function keys(app) {
  document.addEventListener('keydown', (event) => {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    if (target.matches('input:not([type=checkbox]):not([type=range]), textarea, select')) {
      if (event.key === 'Escape') target.blur();
      return;
    }
    // Space presses the button that has the focus.
    if (event.key === ' ' && target.matches('button, input, summary')) return;
    if (!act(app, event)) return;
    event.preventDefault();
  });
}

function act(app, { key, shiftKey }) {
  if (key >= '1' && key <= '7') app.standardView(key);
  else if (key === '+' || key === '=') app.zoom(1.25);
  else if (key === '-' || key === '_') app.zoom(0.8);
  else if (key === ' ' && app.timeline) app.timeline.toggle();
  else if (key === '/') document.getElementById('search').focus();
  else if (key === '?') showHelp();
  else if (key === 'Escape') escape(app);
  else {
    const actions = {
      f: () => (shiftKey && app.selected ? app.flyToPair() : app.fit()),
      o: () => app.toggleProjection(),
      p: () => app.savePicture(),
      m: () => app.toggleFree(),
      n: () => app.list.move(1),
      b: () => app.list.move(-1),
    };
    const action = actions[key.toLowerCase()];
    if (!action || !app.scene) return false;
    action();
  }
  return true;
}

/** One step back: first what is hidden, then what is chosen. */
function escape(app) {
  if (app.bodies.hidden.size) return app.bodies.showAll();
  app.select(null);
  app.section?.choose('');
}

export function showHelp() {
  const rows = KEYS.flatMap(([key, words]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, words)]);
  const dialog = el('dialog', { class: 'help', 'aria-label': 'Keys', onclose: () => dialog.remove() },
    el('h2', {}, 'Keys and mouse'),
    el('p', {}, 'Drag turns the scene, with the right button or Shift it moves it, the wheel zooms. Two fingers move and zoom. A click on a body chooses its findings one after the other, a double click flies to it.'),
    el('dl', {}, ...rows), button('Close', () => dialog.close()));
  document.body.append(dialog);
  dialog.showModal();
}
