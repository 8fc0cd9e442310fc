// What leaves the page: a finding as JSON or as a link, the view as a picture.

import { announce, button, el } from './dom.js';

/** The part of an address that names a finding, and where from it is seen. */
export function linkTo(finding, camera) {
  const name = (text) => encodeURIComponent(text).replaceAll('~', '%7E');
  const pair = `#pair=${name(finding.a.name)}~${name(finding.b.name)}`;
  if (!camera) return pair;
  const { target, distance, theta, phi } = camera;
  return `${pair}&view=${[...target.toArray(), distance, theta, phi].map((x) => Number(x.toPrecision(6))).join(',')}`;
}

/** The finding and the view that an address names; nulls where it names none. */
export function readLink(hash, findings) {
  const fields = new Map(hash.replace(/^#/, '').split('&').map((field) => {
    const at = field.indexOf('=');
    return [field.slice(0, at), field.slice(at + 1)];
  }));
  let names = [];
  try {
    names = (fields.get('pair') ?? '').split('~').map(decodeURIComponent);
  } catch {
    // Not an address that this page wrote.
  }
  const finding = findings.find(({ a, b }) => (a.name === names[0] && b.name === names[1]) || (a.name === names[1] && b.name === names[0])) ?? null;
  const numbers = (fields.get('view') ?? '').split(',').map(Number);
  const view = finding && numbers.length === 6 && numbers.every(Number.isFinite) && numbers[3] > 0 ? numbers : null;
  return { finding, view };
}

/** Puts a text on the clipboard; where the browser forbids that, shows it to be copied by hand. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied`);
  } catch {
    const area = el('textarea', { readOnly: true, value: text, rows: 8, 'aria-label': what });
    const dialog = el('dialog', { class: 'copy', onclose: () => dialog.remove() }, el('p', {}, `${what}: copy it with Ctrl+C or ⌘C.`), area, button('Close', () => dialog.close()));
    document.body.append(dialog);
    dialog.showModal();
    area.focus();
    area.select();
  }
}

/** A few words that go away again. */
export function toast(text) {
  announce(text);
  const note = el('div', { class: 'toast', 'aria-hidden': 'true' }, text);
  document.body.append(note);
  setTimeout(() => note.remove(), 2200);
}

/** Saves a canvas as a file. */
export function savePng(canvas, name) {
  return new Promise((resolve) => {
    canvas.toBlob((blob) => {
      const address = URL.createObjectURL(blob);
      el('a', { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      resolve(blob.size);
    }, 'image/png');
  });
}

/** A name for a file that any system takes. */
export function fileName(title, ending) {
  const plain = title.normalize('NFKD').replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|[-.]+$/g, '').slice(0, 60);
  return `${plain || 'clearance-report'}.${ending}`;
}
