// Which bodies are shown: all of them by group, to hide, to show alone and to look at.

import { isShell } from './data.js';
import { button, el, nameOf, printable } from './dom.js';
import { counted } from './numbers.js';
import { VirtualList } from './virtual.js';

const ROW = 40;
const EYE = 'M2 10s3-5.5 8-5.5S18 10 18 10s-3 5.5-8 5.5S2 10 2 10zm8 2.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z';

export class Bodies {
  /** `on.change()` follows what is hidden; `on.focus(index)` looks at a body. */
  constructor(report, on) {
    this.report = report;
    this.on = on;
    this.hidden = new Set();
    this.words = [];
    this.box = el('div', { class: 'rows', 'aria-label': 'Bodies' });
    const search = el('input', { type: 'search', placeholder: 'Search bodies', 'aria-label': 'Search bodies', autocomplete: 'off', spellcheck: false });
    search.addEventListener('input', () => {
      this.words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      this.#list();
    });
    this.count = el('p', { class: 'count', role: 'status' });
    this.element = el('section', { id: 'bodies', 'aria-label': 'Bodies' }, search,
      el('div', { class: 'buttons' }, button('Show all', () => this.showAll()), button('Hide all', () => this.#set(report.bodies.keys(), false))), this.count, this.box);
    this.rows = new VirtualList(this.box, ROW, (item) => this.#row(item));
    this.#list();
  }

  /** Groups first, each with its bodies; bodies without a group last. */
  #list() {
    const groups = new Map();
    this.report.bodies.forEach((body, index) => {
      const text = `${body.name}\n${body.group ?? ''}`.toLowerCase();
      if (!this.words.every((word) => text.includes(word))) return;
      const name = body.group ?? '';
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(index);
    });
    const items = [];
    const names = [...groups.keys()].sort((x, y) => (x === '') - (y === '') || (x < y ? -1 : 1));
    for (const name of names) {
      if (names.length > 1 || name) items.push({ group: name, bodies: groups.get(name) });
      for (const index of groups.get(name)) items.push({ index });
    }
    this.rows.setItems(items);
    this.#tell();
  }

  #tell() {
    const { length } = this.report.bodies;
    this.count.textContent = this.hidden.size ? `${this.hidden.size} of ${counted(length, 'body', 'bodies')} hidden` : counted(length, 'body', 'bodies');
  }

  #row(item) {
    const isGroup = item.index === undefined;
    const indices = isGroup ? item.bodies : [item.index];
    const shown = indices.filter((index) => !this.hidden.has(index)).length;
    const box = el('input', { type: 'checkbox', checked: shown > 0, indeterminate: shown > 0 && shown < indices.length });
    box.addEventListener('change', () => this.#set(indices, box.checked));
    if (isGroup) {
      return el('div', { class: 'row group' }, el('label', {}, box, item.group ? nameOf(item.group) : 'no group'), el('small', {}, counted(indices.length, 'body', 'bodies')),
        button('Only this group', () => this.isolate(indices), { class: 'small' }));
    }
    const body = this.report.bodies[item.index];
    const shell = isShell(this.report.shapes[body.shape]) ? el('small', { class: 'shell', title: 'Its surface is open: a body inside of it is undecided' }, 'shell') : null;
    return el('div', { class: 'row' }, el('label', {}, box, nameOf(body.label, { title: printable(body.name) })), shell,
      button('Look at it', () => this.on.focus(item.index), { drawing: EYE, class: 'small' }),
      button('Only', () => this.isolate([item.index]), { class: 'small', title: 'Show only this body' }));
  }

  #set(indices, shown) {
    for (const index of indices) this.hidden[shown ? 'delete' : 'add'](index);
    this.#changed();
  }

  /** Shows these bodies and no others. */
  isolate(indices) {
    const kept = new Set(indices);
    this.hidden = new Set([...this.report.bodies.keys()].filter((index) => !kept.has(index)));
    this.#changed();
  }

  showAll() {
    this.hidden = new Set();
    this.#changed();
  }

  #changed() {
    this.rows.refresh();
    this.#tell();
    this.on.change();
  }
}
