// Pictures of the page, to look at: node test/look.mjs FOLDER [PAGE.html …]

import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { launch, open, rest, save } from './browser.mjs';
import { BUILT, hostile, many, moving, small } from './fixture.mjs';

const [folder = 'pictures', ...pages] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await launch();
const shoot = async (name, address, options = {}, act = async () => {}) => {
  const page = await open(browser, address, { width: 1440, height: 900, ...options });
  await page.waitForFunction(() => window.clearance, null, { timeout: 30_000 }).catch(() => {});
  await rest(page).catch(() => {});
  await act(page);
  await rest(page).catch(() => {});
  await page.screenshot({ path: join(folder, `${name}.png`) });
  if (page.complaints.length) console.log(name, page.complaints.slice(0, 3));
  await page.context().close();
};
const select = (index) => (page) => page.evaluate((i) => window.clearance.select(i), index);
const phone = { width: 390, height: 844, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

/** The data of a page in the page as it is built now. */
function renewed(page) {
  const block = (id) => page.match(new RegExp(`<script id="${id}"[^>]*>([^<]*)</script>`))[1];
  const built = readFileSync(BUILT, 'utf8');
  return built.replace('REPORT_JSON', () => block('report')).replace('GEOMETRY_BASE64', () => block('geometry'));
}

if (pages.length) {
  for (const page of pages) {
    const name = basename(page, '.html');
    const address = save(`${name}.html`, renewed(readFileSync(page, 'utf8')));
    await shoot(name, address);
    await shoot(`${name}-worst`, address, {}, select(0));
    await shoot(`${name}-dark`, address, { colorScheme: 'dark' }, select(1));
    await shoot(`${name}-phone`, address, phone, select(0));
  }
} else {
  const scene = save('small.html', small().html());
  await shoot('small', scene);
  await shoot('small-overlap', scene, {}, select(0));
  await shoot('small-gap-dark', scene, { colorScheme: 'dark' }, select(1));
  await shoot('small-phone', scene, phone);
  await shoot('small-phone-details', scene, phone, async (page) => {
    await select(0)(page);
    await page.click('#tab-finding');
  });
  await shoot('small-section', scene, {}, async (page) => {
    await select(0)(page);
    await rest(page);
    await page.click('text=Section >> nth=0');
    await page.click('#tab-options');
  });
  const motion = save('moving.html', moving().html());
  await shoot('moving', motion, {}, select(0));
  await shoot('hostile', save('hostile.html', hostile().html()), {}, select(0));
  const crowd = save('many.html', many(2000).html());
  await shoot('many', crowd);
  await shoot('many-chosen', crowd, {}, select(0));
}
await browser.close();
