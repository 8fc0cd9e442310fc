// Where the page begins: reads the data and starts the app, or says in one sentence why not.

import { App } from './app.js';
import { BadReport, readPage } from './data.js';
import { el } from './dom.js';

async function start() {
  const { report, geometry } = await readPage();
  const app = new App(document.getElementById('app'), report, geometry);
  // What tests and scripts may ask.
  window.clearance = app.handle();
}

start().catch((error) => {
  const sentence = error instanceof BadReport ? error.message : `This page could not be opened in this browser (${error?.message ?? error}).`;
  document.getElementById('app').replaceChildren(el('p', { class: 'sorry', role: 'alert' }, sentence));
  if (!(error instanceof BadReport)) console.error(error);
});
