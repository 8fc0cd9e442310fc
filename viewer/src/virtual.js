// A list of any length: only the rows that are seen are in the document.

import { el } from './dom.js';

const SPARE = 6;

export class VirtualList {
  /** `element` scrolls; `draw(item, place)` makes the element of a row. */
  constructor(element, rowHeight, draw) {
    this.element = element;
    this.rowHeight = rowHeight;
    this.draw = draw;
    this.items = [];
    this.rows = new Map();
    this.space = el('div', { class: 'space', role: 'presentation' });
    element.append(this.space);
    element.addEventListener('scroll', () => this.show(), { passive: true });
    new ResizeObserver(() => this.show()).observe(element);
  }

  setItems(items) {
    this.items = items;
    this.refresh();
  }

  /** Draws the rows again that are seen. */
  refresh() {
    this.space.style.height = `${this.items.length * this.rowHeight}px`;
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.show();
  }

  show() {
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(Math.floor(scrollTop / this.rowHeight) - SPARE, 0);
    const last = Math.min(Math.ceil((scrollTop + clientHeight) / this.rowHeight) + SPARE, this.items.length);
    for (const [place, row] of this.rows) {
      if (place >= first && place < last) continue;
      row.remove();
      this.rows.delete(place);
    }
    for (let place = first; place < last; place++) {
      if (this.rows.has(place)) continue;
      const row = this.draw(this.items[place], place);
      row.style.transform = `translateY(${place * this.rowHeight}px)`;
      this.rows.set(place, row);
      this.space.append(row);
    }
  }

  /** Scrolls as little as shows a row. */
  reveal(place) {
    const top = place * this.rowHeight;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + this.rowHeight > scrollTop + clientHeight) this.element.scrollTop = top + this.rowHeight - clientHeight;
    this.show();
  }
}
