// The report on paper: a picture, and the findings as a table. What scrolls and turns on the screen cannot on paper.

import { el, nameOf } from './dom.js';
import { STATES } from './findings.js';
import { counted, grouped } from './numbers.js';

/** Nobody reads more on paper. */
const MOST = 500;

/** Makes the paper version when it is asked for, and takes it away again. */
export function printing(app) {
  let sheet = null;
  addEventListener('beforeprint', () => {
    sheet?.remove();
    sheet = paper(app);
    document.body.append(sheet);
  });
  addEventListener('afterprint', () => {
    sheet?.remove();
    sheet = null;
  });
}

function paper({ report, list, scene, picture }) {
  const shown = list.shown.slice(0, MOST);
  const row = (finding) => el('tr', {}, el('td', {}, STATES[finding.state].word), el('td', {}, nameOf(finding.a.name)), el('td', {}, nameOf(finding.b.name)),
    el('td', {}, finding.number), el('td', {}, finding.proved));
  const head = ['State', 'A', 'B', `Distance${report.unit ? ` (${report.unit})` : ''}`, 'Proved'].map((name) => el('th', { scope: 'col' }, name));
  const more = list.shown.length - shown.length;
  return el('section', { id: 'paper' },
    el('h1', {}, nameOf(report.title ?? 'Report')),
    el('p', {}, `${counted(report.bodies.length, 'body', 'bodies')}, ${counted(report.checked ?? 0, 'pair', 'pairs')} checked, ${counted(report.overlaps ?? 0, 'overlap', 'overlaps')}${report.undecided ? `, ${report.undecided} undecided` : ''}. ${report.program ?? ''}`),
    scene ? el('img', { src: picture().toDataURL('image/png'), alt: 'The view' }) : null,
    el('table', {}, el('thead', {}, el('tr', {}, ...head)), el('tbody', {}, ...shown.map(row))),
    more > 0 ? el('p', {}, `… and ${grouped(more)} more.`) : null);
}
