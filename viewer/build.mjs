// Puts the page together: one HTML file without anything outside of it, which is embedded in the program.
//
//   node build.mjs          writes ../crates/clearance-cli/assets/report.html
//   node build.mjs FILE     writes FILE instead

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, '../crates/clearance-cli/assets/report.html');

/** What the page is made from; `xtask/src/viewer.rs` has the same list. */
function sources() {
  const inFolder = readdirSync(join(here, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(here.length + 1).replaceAll('\\', '/'));
  return [...inFolder, 'build.mjs', 'package.json', 'package-lock.json'].sort();
}

/** FNV-1a of 64 bits over names and bytes: enough to notice a forgotten build, and short in any language. */
function fingerprint() {
  let hash = 0xcbf29ce484222325n;
  const eat = (bytes) => {
    for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  };
  for (const path of sources()) {
    eat(Buffer.from(path + '\0'));
    eat(readFileSync(join(here, path)));
    eat([0]);
  }
  return hash.toString(16).padStart(16, '0');
}

const bundle = async (entry, more = {}) => {
  const options = { entryPoints: [join(here, 'src', entry)], bundle: true, minify: true, write: false, legalComments: 'none' };
  const result = await build({ ...options, target: ['chrome110', 'firefox115', 'safari16'], ...more });
  return result.outputFiles[0].text.trim();
};
const script = await bundle('main.js', { format: 'iife' });
const style = await bundle('style.css');
const license = readFileSync(join(here, 'node_modules/three/LICENSE'), 'utf8').trim();
const hash = createHash('sha256').update(script).digest('base64');
const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'`;

const filled = {
  FINGERPRINT: fingerprint(),
  LICENSE: license.replaceAll('--', '- -'),
  POLICY: policy,
  STYLE: style,
  SCRIPT: script,
};
const page = readFileSync(join(here, 'src/page.html'), 'utf8').replace(/\{\{([A-Z]+)\}\}/g, (_, name) => filled[name]);

// The program fills these two lines in, and must find each once.
for (const line of [
  '<script id="report" type="application/json">REPORT_JSON</script>',
  '<script id="geometry" type="text/plain">GEOMETRY_BASE64</script>',
]) {
  const word = line.slice(line.indexOf('>') + 1, line.lastIndexOf('<'));
  if (page.split(line).length !== 2 || page.split(word).length !== 2) throw new Error(`the page must have ${line} once`);
}
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, page);
console.log(`${target}: ${(page.length / 1000).toFixed(0)} kB`);
