// Starts the browser of the tests: Debian's chromium, or the one in $CHROMIUM, with WebGL in software.

import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

export const EXECUTABLE = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => path && existsSync(path));

export function launch() {
  const args = [
    '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync',
  ];
  return chromium.launch({ executablePath: EXECUTABLE, args });
}

const folder = mkdtempSync(join(tmpdir(), 'clearance-viewer-'));

/** Writes a page to a file, for it is as a file that readers open it. */
export function save(name, html) {
  const path = join(folder, name);
  writeFileSync(path, html);
  return pathToFileURL(path).href;
}

/** Opens a page; `page.complaints` collects what goes wrong in it. */
export async function open(browser, address, { width = 1120, height = 700, ...more } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'no-preference', ...more });
  const page = await context.newPage();
  page.complaints = [];
  page.on('console', (message) => {
    // The driver's own remarks about speed are not the page's.
    if (message.type() === 'error' || (message.type() === 'warning' && !message.text().includes('GL Driver Message'))) page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    page.complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) page.complaints.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  return page;
}

/** Waits until nothing flies or plays, and the last frame is drawn. */
export async function rest(page) {
  await page.waitForFunction(() => window.clearance.frames > 0 && !window.clearance.camera.flies);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
