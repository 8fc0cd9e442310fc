// The page in a real browser. Every test opens a page as a reader would: as a file, without a network.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { creased, withoutSpecks } from '../src/crease.js';
import { launch, open, rest, save } from './browser.mjs';
import { box, BUILT, Builder, HOSTILE, hollow, hostile, many, moving, small } from './fixture.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** Opens a report, runs a test in it, and fails if the page complained. */
function inPage(name, report, act, options = {}) {
  test(name, async () => {
    const html = typeof report === 'string' ? report : report().html();
    const page = await open(browser, save(`${name.replace(/\W+/g, '-')}.html`, html) + (options.hash ?? ''), options);
    try {
      await page.waitForFunction(() => window.clearance || document.querySelector('.sorry'), null, { timeout: 60_000 });
      if (!options.withoutScene) await rest(page);
      await act(page);
      assert.deepEqual(page.complaints, [], 'the page complains');
    } finally {
      await page.context().close();
    }
  });
}

const at = (page, x, y) => page.evaluate(([x, y]) => {
  const { width, data } = window.clearance.pixels();
  const box = document.getElementById('scene').getBoundingClientRect();
  const scale = width / box.width;
  const first = (Math.round((y - box.top) * scale) * width + Math.round((x - box.left) * scale)) * 4;
  return [...data.slice(first, first + 3)];
}, [x, y]);

/** The colour in the middle of a body. */
const colorOf = async (page, body) => {
  const { x, y } = await page.evaluate((index) => window.clearance.place(index), body);
  return at(page, x, y);
};

/** How many colours there are in a row of pixels: one where a face is plain, more where it is striped. */
const colorsAt = async (page, x, y) => new Set(await Promise.all([0, 3, 6, 9, 12].map(async (i) => String(await at(page, x + i, y))))).size;

const select = async (page, index) => {
  await page.evaluate((i) => window.clearance.select(i), index);
  await rest(page);
};

const look = (page, body) => page.evaluate((index) => window.clearance.body(index).look, body);

test('the built page is one file without anything outside of it', () => {
  const page = readFileSync(BUILT, 'utf8');
  assert.equal(page.split('REPORT_JSON').length, 2);
  assert.equal(page.split('GEOMETRY_BASE64').length, 2);
  assert.ok(page.length < 700_000, `${page.length} bytes`);
  assert.match(page, /Permission is hereby granted, free of charge/);
  const outside = page.match(/(?:src|href)="(?!data:|#)[^"]*"/g);
  assert.equal(outside, null);
});

inPage('a scene is drawn, with its overlaps marked', small, async (page) => {
  const seen = await page.evaluate(() => {
    const { data } = window.clearance.pixels();
    const counts = new Map();
    for (let i = 0; i < data.length; i += 4) {
      const key = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return { colors: counts.size, most: Math.max(...counts.values()) / (data.length / 4) };
  });
  assert.ok(seen.colors > 100 && seen.most < 0.9, JSON.stringify(seen));
  // The crate overlaps the ball: both are vermillion; the third body is grey.
  for (const body of [1, 2]) {
    const [r, g, b] = await colorOf(page, body);
    assert.ok(r > 1.15 * g && g > 1.1 * b, `${[r, g, b]}`);
  }
  const [r, , b] = await colorOf(page, 3);
  assert.ok(Math.abs(r - b) < 40, `${[r, b]}`);
  // Colour is not all: what overlaps is striped.
  const stripes = async (body) => {
    const { x, y } = await page.evaluate((index) => window.clearance.place(index), body);
    return colorsAt(page, x, y);
  };
  await page.keyboard.press('1');
  await page.keyboard.press('o');
  await rest(page);
  assert.ok((await stripes(1)) > 1);
  assert.equal(await stripes(3), 1);
  assert.equal(await look(page, 1), 'overlap');
  assert.equal(await look(page, 3), 'plain');
});

/** Two half-spaces that no way leads out of, as the program writes it, and a depth that is open. */
const endless = () => {
  const made = small();
  const tilt = made.body('tilt', made.halfSpace([1, 0, 0], -1));
  const nothing = { lower: null, upper: null, depth: { lower: null, upper: null, translation: [0, 0, 0] } };
  made.report.findings.unshift({ ...made.report.findings[0], ...nothing, a: 0, b: tilt, distance: null, point_a: [-1, 0, 0], point_b: [-1, 0, 0] });
  made.report.findings[1] = { ...made.report.findings[1], status: 'open', distance: -0.03, lower: null, upper: -0.03, depth: { lower: 0.03, upper: null, translation: [0, 0, 0], end: 'crosses_itself' } };
  return made;
};
inPage('infinite bounds are written as such', endless, async (page) => {
  assert.match(await page.textContent('#finding-0'), /-∞exact$/);
  assert.match(await page.textContent('#finding-1'), /-0.03to -∞$/);
  await select(page, 0);
  assert.equal(await page.locator('text=Separate').count(), 0);
  assert.match(await page.textContent('#finding'), /bracket\[∞, ∞\]proofexact.*distance-∞bracket\[-∞, -∞\]/);
  await select(page, 1);
  assert.match(await page.textContent('#finding'), /bracket\[0.03, ∞\]proofone side of the bracket is open/);
});

/** Bodies that touch: rounding cannot tell whether they overlap. */
const touching = () => {
  const made = small();
  const [first] = made.report.findings;
  made.report.findings[0] = { ...first, distance: 0, lower: -1e-14, upper: 1e-14, depth: { lower: 0, upper: 1e-14, translation: [0, 0, 0] } };
  return made;
};
inPage('what cannot be told from a gap is a touch', touching, async (page) => {
  await select(page, 0);
  assert.equal(await page.textContent('#finding h2'), '✕Touch');
  assert.match(await page.textContent('#announcer'), /^Touch: /);
});
inPage('an open depth is one number everywhere', endless, async (page) => {
  await select(page, 1);
  assert.match(await page.textContent('#finding'), /Depthbracket\[0.03, ∞\].*distance-0.03bracket\[-∞, -0.03\]/);
});
inPage('an open depth says why', endless, async (page) => {
  await select(page, 1);
  assert.match(await page.textContent('#finding'), /open becausethe surface of a body crosses itself/);
  await select(page, 0);
  assert.doesNotMatch(await page.textContent('#finding'), /open because/);
});

/** A body in an open mesh, and another one near it. */
const undecided = () => {
  const made = small();
  const inside = { state: 'undecided', overlap: false, undecided: 'a may be inside an open surface' };
  made.report.findings = [];
  Object.assign(made.report, { overlaps: 0, within: 0, listed: 0, shells: ['bunny.obj', 'arm, part 0', 'arm, part 2'], notes: ['<b>bad</b>.stl is a folder'] });
  made.report.filled_holes = [{ mesh: 'cup.obj', edges: 12, perimeter: 3.14159, diameter: 1, center: [0, 0, 1] }];
  made.finding(1, 2, 0.5, inside);
  made.finding(0, 1, 0.02);
  return made;
};
inPage('an undecided pair is no clean bill', undecided, async (page) => {
  assert.equal(await page.locator('.tally.none').count(), 0, 'nothing is green');
  assert.match(await page.textContent('.tallies'), /0 overlaps1 undecided1 within/);
  await select(page, 0);
  assert.equal(await page.textContent('#finding h2'), '?Undecided');
  assert.match(await page.textContent('#finding'), /A may be inside an open surface: B is a mesh that is not closed/);
  assert.match(await page.textContent('#announcer'), /^Undecided: .* a may be inside an open surface/);
  await rest(page);
  const { camera, inner } = await page.evaluate(() => ({ camera: window.clearance.camera, inner: window.clearance.body(1).center }));
  assert.ok(Math.hypot(...camera.target.map((x, i) => x - inner[i])) < 1e-6, 'the view is about what may be inside');
  assert.match(await page.textContent('.notes'), /4 notes on meshes and files.*bunny.obj: not closed.*arm \(2 parts\): not closed.*a hole of 12 edges was filled near \(0, 0, 1\).*<b>bad<\/b>.stl/);
  await page.uncheck('.chip.undecided input');
  assert.equal(await page.locator('#list .row').count(), 1);
});

inPage('nothing is drawn while nothing changes', small, async (page) => {
  const before = await page.evaluate(() => window.clearance.frames);
  await page.waitForTimeout(400);
  assert.equal(await page.evaluate(() => window.clearance.frames), before);
});

inPage('a click on a finding chooses the pair and flies to it', small, async (page) => {
  const before = await page.evaluate(() => window.clearance.camera);
  // In one step: a flight may be over by the time a slow machine is asked.
  const flies = await page.evaluate(() => {
    document.getElementById('finding-1').click();
    return window.clearance.camera.flies;
  });
  assert.ok(flies);
  await rest(page);
  const after = await page.evaluate(() => window.clearance.camera);
  assert.notDeepEqual(after.target, before.target);
  assert.ok(after.distance < before.distance);
  assert.deepEqual([await look(page, 0), await look(page, 1), await look(page, 2)], ['a', 'b', 'ghost']);
  const [r, , b] = await colorOf(page, 1);
  assert.ok(b > 1.5 * r, 'B is blue');
  assert.equal(await page.getAttribute('#finding-1', 'aria-selected'), 'true');
  assert.match(await page.textContent('#announcer'), /Gap: floor and crate, distance 0.02, proved ± 2e-16/);
  const details = await page.textContent('#finding');
  for (const text of ['0.0199999999999998', '0.0200000000000002', 'proved to 2e-16', '(0, 1, 0)']) assert.ok(details.includes(text), text);
});

inPage('those who asked for less motion are there at once', small, async (page) => {
  const before = await page.evaluate(() => window.clearance.camera.distance);
  await page.evaluate(() => window.clearance.select(0));
  const { distance, flies } = await page.evaluate(() => window.clearance.camera);
  assert.ok(distance < before && !flies);
}, { reducedMotion: 'reduce' });

inPage('the findings are filtered by text, state, body, group and distance', small, async (page) => {
  const shown = () => page.evaluate(() => window.clearance.shown);
  assert.deepEqual(await shown(), [0, 1, 2, 3]);
  await page.fill('#search', 'BALL');
  assert.deepEqual(await shown(), [0]);
  await page.fill('#search', 'furniture split');
  assert.deepEqual(await shown(), [2]);
  await page.fill('#search', 'nothing of this name');
  assert.deepEqual(await shown(), []);
  assert.ok(await page.isVisible('text=No finding passes the filters.'));
  await page.fill('#search', '');
  await page.uncheck('.chip.gap input');
  assert.deepEqual(await shown(), [0]);
  await page.check('.chip.gap input');
  await page.click('text=More filters');
  await page.selectOption('#filter-body', { label: 'split' });
  assert.deepEqual(await shown(), [2]);
  await page.selectOption('#filter-body', '');
  await page.selectOption('#filter-group', { label: 'furniture' });
  assert.deepEqual(await shown(), [0, 1, 2, 3]);
  await page.fill('[aria-label="Distance from"]', '0.01');
  await page.fill('[aria-label="Distance to"]', '0.03');
  assert.deepEqual(await shown(), [1]);
  await page.click('text=Clear filters');
  assert.deepEqual(await shown(), [0, 1, 2, 3]);
});

inPage('A is moved free and back', small, async (page) => {
  await select(page, 0);
  const y = () => page.evaluate(() => window.clearance.body(1).center[1] * 2);
  const before = await y();
  await page.click('text=Separate');
  await page.waitForFunction((y) => window.clearance.body(1).center[1] * 2 <= y - 0.04 + 1e-9, before);
  assert.ok(Math.abs((await y()) - (before - 0.04)) < 1e-9);
  // What was marked is no longer there; nor is it in a picture.
  const white = () => page.evaluate(() => window.clearance.pixels().data.reduce((sum, x, i, all) => sum + (i % 4 === 0 && x === 255 && all[i + 1] === 255 && all[i + 2] === 255), 0));
  const unmarked = await white();
  await page.click('text=Move it back');
  await page.waitForFunction((y) => window.clearance.body(1).center[1] * 2 === y, before);
  await rest(page);
  assert.ok((await white()) > unmarked + 1000, 'the label is back');
  // Choosing something else puts it back, too.
  await page.keyboard.press('m');
  await page.waitForTimeout(50);
  await select(page, 1);
  assert.equal(await y(), before);
});

inPage('a motion is played, scrubbed, and impacts are jumped to', moving, async (page) => {
  const sledge = () => page.evaluate(() => window.clearance.body(1).center[0] * 2.5);
  const time = () => page.evaluate(() => window.clearance.time);
  const turned = async () => {
    const [, y, , w] = await page.evaluate(() => window.clearance.body(1).rotation);
    return 2 * Math.atan2(Math.abs(y), Math.abs(w));
  };
  assert.ok(Math.abs((await sledge()) - -1) < 1e-6);
  await page.keyboard.press(' ');
  await page.waitForFunction(() => window.clearance.time > 0.3);
  assert.ok((await sledge()) > -0.8);
  await page.keyboard.press(' ');
  const stopped = await time();
  await page.waitForTimeout(200);
  assert.equal(await time(), stopped);
  for (const [when, where] of [[2, 1], [2.5, 0.75], [3, 0.5], [4, 0.5]]) {
    await page.fill('#time', String(when));
    assert.ok(Math.abs((await sledge()) - where) < 1e-6, `at ${when} s`);
    assert.ok(Math.abs((await turned()) - Math.PI / 2) < 1e-6, 'q and -q are one rotation');
  }
  await page.click('.mark');
  await rest(page);
  assert.equal(await page.evaluate(() => window.clearance.selected), 0);
  assert.equal(await time(), 1);
  assert.ok(Math.abs(await sledge()) < 1e-6);
  assert.ok(Math.abs((await turned()) - Math.PI / 4) < 1e-6, 'half way it has turned by half');
  assert.match(await page.textContent('#finding-0'), /Collision.*at 1 s.*± 2e-12/);
  await select(page, 1);
  assert.equal(await time(), 1.5);
});

inPage('the view is saved as a picture', small, async (page) => {
  await select(page, 0);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('[aria-label="Save a picture"]')]);
  assert.equal(download.suggestedFilename(), 'small.json.png');
  const bytes = readFileSync(await download.path());
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  const { width, height } = await page.evaluate(() => ({ width: document.getElementById('scene').width, height: document.getElementById('scene').height }));
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [width, height]);
  assert.ok(bytes.length > 10_000);
});

inPage('a finding is copied as the program writes it', small, async (page) => {
  await select(page, 0);
  // Where the clipboard is closed to the page, the text is shown.
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true }));
  await page.click('text=Copy JSON');
  const finding = JSON.parse(await page.inputValue('dialog textarea'));
  assert.deepEqual(Object.keys(finding), ['a', 'b', 'overlap', 'distance', 'point_a', 'point_b', 'normal', 'lower', 'upper', 'status', 'state', 'depth']);
  assert.deepEqual([finding.a, finding.b, finding.distance], ['crate', 'ball', -0.04]);
  assert.deepEqual(finding.depth.translation, [0, -0.04, 0]);
  await page.click('dialog >> text=Close');
  await page.click('text=Copy link');
  const link = await page.inputValue('dialog textarea');
  assert.match(link, /#pair=crate~ball&view=/);
  await page.click('dialog >> text=Close');
  const camera = await page.evaluate(() => window.clearance.camera);
  const again = await open(browser, link);
  await rest(again);
  const opened = await again.evaluate(() => ({ selected: window.clearance.selected, camera: window.clearance.camera }));
  assert.equal(opened.selected, 0);
  assert.ok(Math.abs(opened.camera.distance / camera.distance - 1) < 1e-4);
  assert.ok(Math.abs(opened.camera.theta - camera.theta) < 1e-4);
  assert.deepEqual(again.complaints, []);
  await again.context().close();
});

inPage('a link opens its finding, in either order of names', small, async (page) => {
  assert.equal(await page.evaluate(() => window.clearance.selected), 2);
}, { hash: '#pair=split~floor' });

inPage('a link to nothing opens the page', small, async (page) => {
  assert.equal(await page.evaluate(() => window.clearance.selected), null);
}, { hash: '#pair=%E0%A4~x&view=1' });

inPage('hostile names stay text', hostile, async (page) => {
  const elements = await page.evaluate(() => document.querySelectorAll('script, img, svg[onload], b[onclick], i, u, s').length);
  assert.equal(elements, 1, 'the script of the page, and nothing that a name brought');
  for (let i = 0; i + 1 < HOSTILE.length; i++) await select(page, i);
  await page.click('#tab-bodies');
  await page.click('#tab-options');
  await page.click('text=More filters');
  await page.click('#tab-finding');
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.evaluate(() => document.querySelectorAll('script, img, svg[onload], b[onclick], i, u, s').length), 1);
  await select(page, 0);
  assert.ok((await page.textContent('#finding')).includes('</script><script>window.hacked = 1</script>'));
  assert.match(await page.textContent('h1'), /^<b onclick/);
  const overflow = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(overflow[0] <= overflow[1], `${overflow}`);
  // Every name can be linked to.
  for (let i = 0; i + 1 < HOSTILE.length; i++) {
    const [link, found] = await page.evaluate(async (i) => {
      window.clearance.select(i);
      const link = location.hash;
      window.clearance.select(null);
      location.hash = link;
      await new Promise((done) => addEventListener('hashchange', () => setTimeout(done), { once: true }));
      return [link, window.clearance.selected];
    }, i);
    assert.ok(!/[<>"]/.test(link), link);
    assert.equal(found, i, link);
  }
});

inPage('the policy of the page forbids scripts that are not its own', small, async (page) => {
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.hacked = 1';
    document.body.append(script);
    const div = document.createElement('div');
    div.innerHTML = '<img src="data:," onerror="window.hacked = 2">';
    document.body.append(div);
  });
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.ok(page.complaints.length >= 2, 'the browser says that it refused');
  page.complaints.length = 0;
});

inPage('the keyboard is enough', small, async (page) => {
  const selected = () => page.evaluate(() => window.clearance.selected);
  const focused = () => page.evaluate(() => document.activeElement.id);
  for (let i = 0; i < 12 && (await focused()) !== 'list'; i++) await page.keyboard.press('Tab');
  assert.equal(await focused(), 'list');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.equal(await selected(), 1);
  assert.equal(await page.getAttribute('#list', 'aria-activedescendant'), 'finding-1');
  await page.keyboard.press('End');
  assert.equal(await selected(), 3);
  await page.keyboard.press('Home');
  assert.equal(await selected(), 0);
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'scene');
  await rest(page);
  const before = await page.evaluate(() => window.clearance.camera);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('+');
  const after = await page.evaluate(() => window.clearance.camera);
  assert.ok(after.theta < before.theta && after.distance < before.distance);
  await page.keyboard.press('5');
  await rest(page);
  assert.ok((await page.evaluate(() => window.clearance.camera.phi)) < 0.01);
  await page.keyboard.press('f');
  await rest(page);
  await page.keyboard.press('/');
  assert.equal(await focused(), 'search');
  await page.keyboard.type('split');
  assert.deepEqual(await page.evaluate(() => window.clearance.shown), [2]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  assert.equal(await selected(), null);
  await page.keyboard.press('?');
  assert.ok(await page.isVisible('dialog.help'));
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
});

inPage('the mouse turns, moves and zooms; a click chooses, a double click flies', small, async (page) => {
  const camera = () => page.evaluate(() => window.clearance.camera);
  const start = await camera();
  const middle = { x: 560, y: 150 };
  const drag = async (options) => {
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.down(options);
    await page.mouse.move(middle.x + 60, middle.y + 20, { steps: 3 });
    await page.mouse.up(options);
  };
  await drag();
  const turned = await camera();
  assert.ok(turned.theta !== start.theta && turned.distance === start.distance);
  assert.deepEqual(turned.target, start.target);
  await drag({ button: 'right' });
  const moved = await camera();
  assert.notDeepEqual(moved.target, turned.target);
  assert.equal(moved.theta, turned.theta);
  await page.mouse.wheel(0, -200);
  assert.ok((await camera()).distance < moved.distance);
  await page.keyboard.press('f');
  await rest(page);
  const split = await page.evaluate(() => window.clearance.place(3));
  await page.mouse.click(split.x, split.y);
  assert.equal(await page.evaluate(() => window.clearance.selected), 2);
  await page.keyboard.press('Escape');
  await page.mouse.dblclick(split.x, split.y);
  await rest(page);
  const { target } = await camera();
  assert.ok(Math.hypot(target[0] - 0.5, target[1] - 0.175, target[2]) < 1e-3, `${target}`);
});

inPage('a section cuts, bodies hide, pieces come apart', small, async (page) => {
  await page.click('#tab-options');
  const [x, y] = await page.evaluate(() => { const { x, y } = window.clearance.place(3); return [x, y]; });
  const whole = await at(page, x, y);
  await page.selectOption('#section-axis', 'x');
  await page.fill('#section-place', '-1');
  await rest(page);
  assert.notDeepEqual(await at(page, x, y), whole, 'cut away');
  await page.selectOption('#section-axis', '');
  assert.deepEqual(await at(page, x, y), whole);
  await page.selectOption('#pieces', 'all');
  assert.notDeepEqual(await at(page, x, y), whole, 'in the colours of its pieces');
  await page.selectOption('#pieces', 'none');
  assert.deepEqual(await at(page, x, y), whole);
  await page.fill('#opacity', '0.3');
  assert.notDeepEqual(await at(page, x, y), whole, 'seen through');
  await page.fill('#opacity', '1');
  await page.click('#tab-bodies');
  const row = page.locator('#bodies .row', { hasText: 'split' });
  await row.locator('input').uncheck();
  assert.equal(await look(page, 3), 'hidden');
  assert.notDeepEqual(await at(page, x, y), whole);
  await row.locator('text=Only').click();
  assert.deepEqual([await look(page, 1), await look(page, 3)], ['hidden', 'plain']);
  await page.click('text=Show all');
  assert.equal(await look(page, 1), 'overlap');
  assert.deepEqual(await at(page, x, y), whole);
});

const cut = () => {
  const made = new Builder({ up: [0, 0, 1], radius: 1 });
  // Inside out, as some files are; the page turns it.
  const shell = hollow(0.8, 0.8, 0.8);
  made.body('hollow', made.shape('mesh', { ...shell, triangles: shell.triangles.map(([a, b, c]) => [a, c, b]) }, { solid: true }));
  return made;
};
inPage('a cut face is hatched, and a hollow is not', cut, async (page) => {
  await page.keyboard.press('1');
  await page.keyboard.press('o');
  await rest(page);
  await page.click('#tab-options');
  await page.selectOption('#section-axis', 'y');
  const { x, y } = await page.evaluate(() => window.clearance.place(0));
  const half = await page.evaluate(() => document.getElementById('scene').clientHeight / 2 / (window.clearance.camera.distance * Math.tan((17.5 * Math.PI) / 180)));
  assert.equal(await colorsAt(page, x, y), 1, 'the far wall of the hollow is plain');
  assert.ok((await colorsAt(page, x + 0.6 * half, y)) > 1, 'the cut is hatched');
});

inPage('a phone has room for everything', small, async (page) => {
  const outside = () => page.evaluate(() => [...document.querySelectorAll('#app *:not(.chips *)')].filter((e) => {
    const box = e.getBoundingClientRect();
    return box.width > 0 && (box.right > innerWidth + 0.5 || box.left < -0.5);
  }).map((e) => `${e.tagName} ${e.id} ${e.className}`));
  for (const tab of ['findings', 'finding', 'bodies', 'options']) {
    await page.tap(`#tab-${tab}`);
    assert.deepEqual(await outside(), [], tab);
    assert.ok(await page.isVisible(`#${tab}`));
  }
  await page.tap('#tab-findings');
  await page.tap('#finding-0');
  await rest(page);
  assert.equal(await page.evaluate(() => window.clearance.selected), 0);
  // One finger turns, two zoom.
  const session = await page.context().newCDPSession(page);
  const touch = (type, ...points) => session.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  const camera = () => page.evaluate(() => window.clearance.camera);
  const start = await camera();
  await touch('touchStart', [200, 200]);
  await touch('touchMove', [240, 210]);
  await touch('touchEnd');
  const turned = await camera();
  assert.ok(turned.theta !== start.theta && turned.distance === start.distance);
  await touch('touchStart', [180, 200], [220, 200]);
  await touch('touchMove', [140, 200], [260, 200]);
  await touch('touchEnd');
  const zoomed = await camera();
  assert.ok(zoomed.distance < turned.distance / 1.5, `${zoomed.distance} of ${turned.distance}`);
  const small = await page.evaluate(() => [...document.querySelectorAll('#app *')].filter((e) => e.textContent && parseFloat(getComputedStyle(e).fontSize) < 12).length);
  assert.equal(small, 0, 'no text below 12 px');
}, { width: 390, height: 844, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });

inPage('on paper there is a picture and a table', small, async (page) => {
  assert.ok((await page.pdf({ format: 'A4' })).length > 20_000);
  assert.equal(await page.locator('#paper').count(), 0, 'afterwards it is gone');
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  assert.equal(await page.locator('#paper tbody tr').count(), 4);
  assert.match(await page.textContent('#paper tbody tr'), /Overlapcrateball-0.04± 4e-16/);
  assert.ok((await page.getAttribute('#paper img', 'src')).length > 10_000);
});

inPage('dark and light', small, async (page) => {
  const corner = () => at(page, 400, 680);
  assert.ok((await corner())[0] < 80);
  await page.click('[aria-label="Light or dark"]');
  assert.ok((await corner())[0] > 150);
}, { colorScheme: 'dark' });

for (const [name, scale, origin] of [['far away', 1, 1e9], ['tiny', 1e-9, 0], ['huge', 1e12, 0], ['tiny and far away', 1e-6, 1e3]]) {
  const scene = () => {
    const made = new Builder({ radius: 2 * scale, origin: [origin, 0, 0] });
    const cube = made.shape('cuboid', box(0.3 * scale, 0.3 * scale, 0.3 * scale));
    made.body('left', cube, [origin - 0.5 * scale, 0, 0]);
    made.body('right', cube, [origin + 0.5 * scale, 0, 0]);
    made.finding(0, 1, 0.4 * scale, { point_a: [origin - 0.2 * scale, 0, 0], point_b: [origin + 0.2 * scale, 0, 0], normal: [1, 0, 0] });
    return made;
  };
  inPage(`a scene that is ${name} looks like any other`, scene, async (page) => {
    const { center } = await page.evaluate(() => window.clearance.body(1));
    assert.ok(Math.abs(center[0] - 0.25) < 1e-3, `${center}`);
    const [r, g, b] = await colorOf(page, 1);
    assert.ok(Math.max(r, g, b) < 230, 'a body and not the background');
    await select(page, 0);
    const blue = await colorOf(page, 1);
    assert.ok(blue[2] > 1.5 * blue[0], `${blue}`);
  });
}

inPage('an empty scene says so', () => new Builder(), async (page) => {
  assert.ok(await page.isVisible('text=No pair overlaps or is within the margin.'));
});

const broken = small().html();
for (const [what, html] of [
  ['cut off', broken.replace(/("bodies":).*?<\/script>/, '$1</script>')],
  ['of another kind', broken.replace('clearance-report/1', 'clearance-report/9')],
  ['without its geometry', broken.replace(/(id="geometry"[^>]*>)[^<]*/, '$1AAAA')],
  ['with other bytes', broken.replace(/(id="geometry"[^>]*>)[^<]{40}/, '$1' + 'A'.repeat(40))],
  ['with a bad base64', broken.replace(/(id="geometry"[^>]*>)[^<]*/, '$1%%%%')],
  ['with a body of no shape', broken.replace('"shape":0', '"shape":99')],
  ['not filled in', readFileSync(BUILT, 'utf8')],
]) {
  inPage(`a report that is ${what} is one sentence`, html, async (page) => {
    const sentence = await page.textContent('.sorry');
    assert.match(sentence, /^[A-Z][^.]*\. Write it again with `clearance check --report`\.$/);
  }, { withoutScene: true });
}

test('without WebGL the list still works', async () => {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(() => {
    HTMLCanvasElement.prototype.getContext = () => null;
  });
  await page.goto(save('nogl.html', small().html()));
  await page.click('#finding-1');
  assert.match(await page.textContent('#view'), /no WebGL/);
  assert.match(await page.textContent('#finding'), /floor.*crate/s);
  await page.fill('#search', 'ball');
  assert.deepEqual(await page.evaluate(() => window.clearance.shown), [0]);
  await context.close();
});

const tenThousand = () => {
  const made = many(200, { shared: true, findings: 10_000 });
  made.report.within = 12_000;
  return made;
};
inPage('ten thousand findings stay quick', tenThousand, async (page) => {
  assert.match(await page.textContent('#findings .count'), /^the worst 10.000 of 12.040 findings$/);
  assert.ok((await page.locator('#list .row').count()) < 60, 'only what is seen is in the document');
  await page.focus('#list');
  await page.keyboard.press('End');
  assert.equal(await page.evaluate(() => window.clearance.selected), 9999);
  assert.ok(await page.isVisible('#finding-9999'));
  assert.ok((await page.locator('#list .row').count()) < 20, 'rows that are out of sight are gone');
  await page.fill('#search', 'stone 17');
  assert.ok((await page.evaluate(() => window.clearance.shown.length)) < 2500);
});

for (const shared of [false, true]) {
  test(`2,000 bodies with a million triangles open in time (${shared ? 'one shape' : 'a mesh each'})`, async () => {
    const made = many(2000, { shared });
    const triangles = made.report.bodies.reduce((sum, body) => sum + made.report.shapes[body.shape].triangles[1], 0);
    assert.ok(triangles >= 1_000_000);
    const html = made.html();
    if (!shared) assert.ok(html.length < 1.5 * made.bytes + 1_000_000, 'the file is not larger than 1.5 times its geometry and 1 MB');
    const page = await open(browser, save('many.html', html));
    await page.waitForFunction(() => window.clearance?.frames > 0, null, { timeout: 60_000 });
    // Reading a pixel waits until everything is drawn.
    const time = await page.evaluate(() => {
      const gl = document.getElementById('scene').getContext('webgl2');
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      return performance.now() / 1000;
    });
    console.log(`# ${triangles} triangles, ${(html.length / 1e6).toFixed(1)} MB: the first frame after ${time.toFixed(1)} s`);
    // The goal is 5 s; machines that run tests do other things, too.
    assert.ok(time < 20, `${time} s`);
    if (shared) {
      // While it moves, frames may be rough; once it rests, everything is there.
      await page.mouse.move(500, 300);
      await page.mouse.down();
      for (let i = 0; i < 8; i++) await page.mouse.move(500 + 6 * i, 300);
      await page.mouse.up();
      await page.waitForTimeout(600);
      await page.waitForFunction(() => !window.clearance.isRough);
      const canvas = page.locator('#scene');
      const rested = await canvas.screenshot();
      await page.evaluate(() => window.clearance.pixels());
      assert.ok(rested.equals(await canvas.screenshot()));
    }
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });
}

// Pages that the program itself has written, where `CLEARANCE_PAGES` names a folder of them.
const written = process.env.CLEARANCE_PAGES;
if (written) {
  for (const name of readdirSync(written).filter((name) => name.endsWith('.html'))) {
    test(`${name}, as the program wrote it`, async () => {
      const path = join(written, name);
      const page = await open(browser, pathToFileURL(path).href);
      await page.waitForFunction(() => window.clearance?.frames > 0, null, { timeout: 60_000 });
      await rest(page);
      const count = await page.evaluate(() => window.clearance.shown.length);
      for (let i = 0; i < Math.min(count, 12); i++) {
        await select(page, i);
        assert.equal(await page.evaluate(() => window.clearance.selected), i);
      }
      assert.deepEqual(page.complaints, []);
      await page.context().close();
    });
  }
}

inPage('a status and a comment are kept and exported', small, async (page) => {
  await select(page, 1);
  await page.selectOption('#review-status', 'fix');
  await page.fill('#review-comment', 'f b <i>move the shelf</i>');
  assert.equal(await page.evaluate(() => window.clearance.selected), 1, 'keys that are typed do nothing else');
  assert.equal(await page.locator('#finding-1 .said').textContent(), '⚑');
  await page.reload();
  await page.waitForFunction(() => window.clearance);
  assert.equal(await page.inputValue('#review-comment'), 'f b <i>move the shelf</i>');
  await page.click('text=More filters');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Export statuses')]);
  const review = JSON.parse(readFileSync(await download.path(), 'utf8'));
  assert.equal(review.format, 'clearance-review/1');
  assert.deepEqual(review.findings.map(({ status, comment }) => [status, comment]), [['fix', 'f b <i>move the shelf</i>']]);
  await select(page, 0);
  assert.equal(await page.inputValue('#review-comment'), '');
});

const followed = () => {
  const made = small();
  Object.assign(made.report.findings[0], { id: '07ea1b14d14ffa7e', kind: 'protruding', life: 'new', cluster: 'wall <b>' });
  Object.assign(made.report.findings[1], { id: '17ea1b14d14ffa7e', kind: 'too close', life: 'persistent', review: { status: 'accepted', comment: 'a weld' } });
  return made;
};
inPage('kinds, the last run and clusters are shown and filtered by', followed, async (page) => {
  assert.equal(await page.locator('#finding-0 .life').textContent(), 'new');
  assert.equal(await page.locator('#finding-1 .life').count(), 0, 'what was there before needs no word');
  await select(page, 0);
  const text = await page.locator('#finding').textContent();
  for (const word of ['protruding', 'new', 'wall <b>', '07ea1b14d14ffa7e']) assert.ok(text.includes(word), word);
  await page.click('text=More filters');
  await page.selectOption('#filter-kind', { label: 'too close' });
  assert.deepEqual(await page.locator('#list .row').evaluateAll((rows) => rows.map((row) => row.id)), ['finding-1']);
  await page.selectOption('#filter-kind', { label: 'all' });
  await page.selectOption('#filter-life', { label: 'new' });
  assert.deepEqual(await page.locator('#list .row').evaluateAll((rows) => rows.map((row) => row.id)), ['finding-0']);
  await page.click('text=Clear filters');
  await page.selectOption('#filter-cluster', { label: 'wall <b>' });
  assert.equal(await page.locator('#list .row').count(), 1);
  await page.click('text=Clear filters');
  // What a person said in the last run is there until it is changed.
  await select(page, 1);
  assert.equal(await page.inputValue('#review-status'), 'accepted');
  assert.equal(await page.inputValue('#review-comment'), 'a weld');
  await page.selectOption('#review-status', 'open');
  await page.fill('#review-comment', '');
  await select(page, 0);
  await select(page, 1);
  assert.equal(await page.inputValue('#review-status'), 'open');
});

const paths = () => {
  const made = small();
  made.report.bodies.forEach((body, i) => { body.name = `/work/robots/share/${['ur5', 'ur10', 'ur5', 'panda'][i % 4]}/meshes/collision/${['arm.stl', 'hand.stl'][i % 2]}-${i}`; });
  return made;
};
inPage('names that are paths lose the folder they have in common', paths, async (page) => {
  const [name] = await page.locator('#finding-0 bdi').all();
  assert.match(await name.textContent(), /^(ur5|ur10|panda)\/meshes\/collision\/(arm|hand)\.stl-\d$/);
  assert.match(await name.getAttribute('title'), /^\/work\/robots\/share\//);
});

inPage('a phone shows the details of a finding that is chosen', small, async (page) => {
  await page.tap('#finding-0');
  await rest(page);
  assert.ok(await page.isVisible('#finding'));
  assert.match(await page.textContent('#finding'), /Overlap.*crate.*ball/);
  await page.tap('#finding button[aria-label="Next finding"]');
  assert.equal(await page.evaluate(() => window.clearance.selected), 1);
}, { width: 390, height: 844, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });

test('meshes are smooth but for their creases, and short chains of edges are left out', () => {
  // A square tube of 32 sides about z: walls that turn by 11 degrees, and a cap at 90 degrees.
  const sides = 32;
  const corners = [];
  for (let i = 0; i < sides; i++) for (const z of [0, 1]) corners.push(Math.cos((i / sides) * 2 * Math.PI), Math.sin((i / sides) * 2 * Math.PI), z);
  const [vertices, triangles] = [Float32Array.from([...corners, 0, 0, 1]), []];
  for (let i = 0; i < sides; i++) {
    const j = (i + 1) % sides;
    triangles.push(2 * i, 2 * j, 2 * j + 1, 2 * i, 2 * j + 1, 2 * i + 1, 2 * i + 1, 2 * j + 1, 2 * sides);
  }
  const index = Uint32Array.from(triangles);
  const made = creased(vertices, index);
  assert.equal(made.vertices.length / 3, 2 * sides + 1 + sides, 'vertices of the rim are there twice');
  for (let i = 0; i < index.length; i++) {
    const [v, old] = [3 * index[i], 3 * triangles[i]];
    assert.deepEqual([...made.vertices.subarray(v, v + 3)], [...vertices.subarray(old, old + 3)], 'the surface is the same');
    const normal = [...made.normals.subarray(v, v + 3)];
    const isCap = Math.floor(i / 3) % 3 === 2;
    const wanted = isCap ? [0, 0, 1] : [vertices[old], vertices[old + 1], 0];
    assert.ok(normal.every((x, k) => Math.abs(x - wanted[k]) < 0.06), `${normal} is not ${wanted}`);
  }
  const lines = Uint32Array.from([0, 2, 2, 4, 4, 6, 1, 3]);
  assert.deepEqual([...withoutSpecks(vertices, lines, 3)], [0, 2, 2, 4, 4, 6]);
  assert.equal(withoutSpecks(vertices, lines, 30), null);
});
