// Elements are made here and nowhere else. Text goes in as text: nothing of a report is ever read as markup.

/**
 * An element with properties and children.
 * Properties that begin with `on` are listeners, `class`, `aria-…`, `data-…` and `role` attributes, the rest fields of the element.
 */
export function el(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (/^(aria-|data-|class$|role$|for$|list$)/.test(key)) element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

/** A line drawing of 20 by 20 for a button; the paths are ours, never the report's. */
export function icon(path) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(space, 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

/** Control characters would break a line or turn it around; they are shown as one sign, as the program does. */
export const printable = (text) => String(text).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '\ufffd');

/** A name of the report, kept apart from the direction of the text around it. */
export const nameOf = (text, properties = {}) => el('bdi', { title: printable(text), ...properties }, printable(text) || '(no name)');

/** A button with words, or with a drawing and words for those who do not see it. */
export function button(label, onclick, { drawing, key, ...properties } = {}) {
  const title = key ? `${label} (${key})` : label;
  const content = drawing ? icon(drawing) : label;
  return el('button', { type: 'button', title, 'aria-label': drawing ? label : undefined, onclick, ...properties }, content);
}

/** Says a sentence to those who listen to the page. */
export function announce(sentence) {
  const region = document.getElementById('announcer');
  if (region) region.textContent = sentence;
}
