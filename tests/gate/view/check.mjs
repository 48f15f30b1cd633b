// What a person does with a page of kiln view, done by a program: check.mjs KILN ONE TWO STILL A B
// REPORT, where ONE is the page of a file with names that are no good, TWO that of the files A and B, STILL that of both
// without libkiln, REPORT one of kiln bake.
// Pictures stay in TMPDIR. Prints what is wrong, and ends with 1.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from './browser.mjs';

const [kiln, one, two, still, fileA, fileB, report] = process.argv.slice(2);
const browser = new Browser();
let bad = 0;

function check(right, what) {
  if (!right) {
    console.log(`wrong: ${what}`);
    bad++;
  }
}

async function keep(name) {
  writeFileSync(join(process.env.TMPDIR || '.', `${name}.png`), await browser.screenshot());
}

// How many points of the picture are drawn on, and a sum that another picture hardly has.
const picture = () => browser.evaluate(`(() => {
  const stage = kilnView.stage, copy = document.createElement('canvas');
  stage.place();
  stage.renderer.render(stage.scene, stage.camera);
  copy.width = stage.canvas.width; copy.height = stage.canvas.height;
  const to = copy.getContext('2d');
  to.drawImage(stage.canvas, 0, 0);
  const data = to.getImageData(0, 0, copy.width, copy.height).data, hues = new Set();
  let drawn = 0, sum = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] > 0) {
      drawn++;
      sum = (sum * 31 + data[i] * 65536 + data[i + 1] * 256 + data[i + 2] + i) % 4294967291;
      hues.add(data[i] >> 4 << 8 | data[i + 1] >> 4 << 4 | data[i + 2] >> 4);
    }
  }
  return { part: drawn / (data.length / 4), sum, hues: hues.size };
})()`);
const text = (id) => browser.evaluate(`document.getElementById(${JSON.stringify(id)}).textContent`);
const middleOf = (index) => browser.evaluate(`(() => {
  const model = kilnView.models[${index}], box = kilnView.stage.canvas.getBoundingClientRect();
  model.group.updateMatrixWorld(true);
  const t = Math.floor(model.corners.length / 18), c = model.corners.subarray(9 * t, 9 * t + 9);
  const p = new THREE.Vector3((c[0] + c[3] + c[6]) / 3, (c[1] + c[4] + c[7]) / 3, (c[2] + c[5] + c[8]) / 3);
  p.applyMatrix4(model.inner.matrixWorld).project(kilnView.stage.camera);
  return [box.left + (p.x + 1) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height];
})()`);

async function quiet(name) {
  const errors = browser.errors(), requests = browser.requests();
  check(errors.length === 0, `${name}: the page complains: ${errors.join('; ')}`);
  check(requests.length === 0, `${name}: the page asks for ${requests.join(', ')}`);
}

// Every control has a name, and the keyboard comes to all of them.
async function controls(name) {
  const { nodes } = await browser.send('Accessibility.getFullAXTree');
  const kinds = new Set(['button', 'checkbox', 'radio', 'slider', 'combobox', 'spinbutton', 'textbox', 'searchbox', 'link']);
  const found = nodes.filter((node) => !node.ignored && kinds.has(node.role?.value));
  check(found.length > 8, `${name}: only ${found.length} controls`);
  for (const node of found) {
    check(node.name?.value, `${name}: a ${node.role.value} without a name`);
    check(node.properties?.some((p) => p.name === 'focusable' && p.value.value), `${name}: '${node.name?.value}' is out of the keyboard's reach`);
  }
}

async function onePage() {
  await browser.open(one);
  await keep('one');
  check(await browser.evaluate('typeof hacked === "undefined" && document.querySelectorAll("#panel img, #panel script").length === 0'),
    'a name has become markup');
  check((await browser.evaluate('document.title')).includes('<b>&'), 'the title has not the name of the file');
  const first = await picture();
  check(first.part > 0.03 && first.part < 0.9 && first.hues > 4, `the picture: ${JSON.stringify(first)}`);

  // The slider, by pointer and by keys.
  const slider = await browser.evaluate('(() => { const b = document.getElementById("level").getBoundingClientRect(); return [b.left, b.top + b.height / 2, b.width]; })()');
  await browser.drag([slider[0] + 4, slider[1]], [slider[0] + 2, slider[1]]);
  check((await text('level-text')).startsWith('Level 0 of '), `the slider at its start: ${await text('level-text')}`);
  const level0 = await picture();
  check(level0.sum !== first.sum, 'level 0 looks like the level before');
  await browser.key('End');
  check(/^Level ([1-9]\d*) of \1:/.test(await text('level-text')), `the slider at its end: ${await text('level-text')}`);
  const last = await picture();
  check(last.sum !== level0.sum, 'the last level looks like level 0');
  await browser.key('ArrowLeft');
  await browser.click('#levels tbody tr:nth-child(2) button');
  check((await text('level-text')).startsWith('Level 1 of '), 'a button of the table of levels');
  check(await browser.evaluate('document.querySelector("#levels tr.on td").textContent === "1"'), 'the row of the level is not marked');

  // Volumes, triangles and edges come and go.
  await browser.click('#show-boxes');
  const bare = await picture();
  await browser.click('#show-edges');
  check((await picture()).sum !== bare.sum, 'edges are not drawn');
  await browser.click('#show-edges');
  for (const by of ['part', 'material', 'leaf', 'size']) {
    await browser.evaluate(`(() => { const e = document.getElementById('colour'); e.value = '${by}'; e.dispatchEvent(new Event('change')); })()`);
    await browser.frame();
    check((await picture()).sum !== bare.sum, `colours by ${by} are those of one colour`);
    check(by === 'leaf' || await browser.evaluate('document.querySelectorAll("#legend li").length') > 0, `no legend by ${by}`);
  }
  await browser.click('#show-mesh');
  const none = await picture();
  check(none.part < bare.part / 4, `without triangles and volumes: ${none.part}`);
  await browser.click('#show-mesh');

  // Every kind of tree of the file.
  const trees = await browser.evaluate('document.getElementById("tree").options.length');
  await browser.click('#show-boxes');
  for (let i = 0; i < trees; i++) {
    await browser.evaluate(`(() => { const e = document.getElementById('tree'); e.value = '${i}'; e.dispatchEvent(new Event('change')); })()`);
    await browser.frame();
    check(await browser.evaluate('kilnView.models[0].drawn') > 0, `tree ${i} has no volumes`);
  }

  // What the bake left out is listed; what has no area is listed and can be shown.
  check((await text('dropped')).includes('not finite'), `left out: ${await text('dropped')}`);
  check(await browser.evaluate('document.querySelectorAll("#flat button").length') === 1, 'triangles without area');
  await browser.click('#flat button');
  check(/^triangle \d+, face \d+ of /.test(await text('picked')), `picked: ${await text('picked')}`);

  // Turning, shifting, nearer, by pointer and keys.
  await browser.click('#whole');
  let before = await picture();
  for (const [what, act] of [
    ['dragging', () => browser.drag([60, 60], [160, 90])],
    ['shifting', () => browser.drag([60, 60], [120, 120], 8)],
    ['the wheel', () => browser.mouse('mouseWheel', 300, 300, { deltaX: 0, deltaY: -300, button: 'none', buttons: 0 }).then(() => browser.frame())],
    ['a key', async () => { await browser.evaluate('document.getElementById("canvas").focus()'); await browser.key('ArrowLeft'); }],
    ['minus', () => browser.key('-')],
    ['Home', () => browser.key('Home')],
  ]) {
    await act();
    const after = await picture();
    check(after.sum !== before.sum, `${what} changes nothing`);
    before = after;
  }
  const at = await middleOf(0);
  await browser.drag(at, at);
  check(/^triangle \d+/.test(await text('picked')), `a click on a triangle says '${await text('picked')}'`);
  await controls('one');
  await quiet('one');
}

// The answer of the command at the pose of the page.
async function ofCommand() {
  const poses = (await browser.evaluate('kilnView.models.map((model) => model.pose())'))
    .flatMap(({ rotation: r, translation: t }) => [r[0], r[1], r[2], t[0], r[3], r[4], r[5], t[1], r[6], r[7], r[8], t[2]]);
  const run = ['collide', fileA, fileB, '--poses', '-', '--mode', 'distance', '--json'];
  const output = execFileSync(kiln, run, { input: poses.join(' ') + '\n', stdio: ['pipe', 'pipe', 'inherit'] });
  return JSON.parse(output.toString()).answers[0];
}

const answer = () => browser.evaluate('(() => { const a = kilnView.answer(); return { meets: a.meets, distance: a.nearest.distance, contacts: a.summary ? a.summary.count : 0 }; })()');

async function agree(name) {
  const near = await ofCommand(), got = await answer();
  check(Math.abs(near.distance - got.distance) <= 1e-8 * (1 + got.distance), `${name}: distance ${got.distance}, of the command ${near.distance}`);
  check((near.distance === 0) === got.meets, `${name}: it says ${got.meets ? 'that' : 'not that'} they meet`);
  check((await text('answer')) === (got.meets ? 'They meet' : 'They do not meet'), `${name}: ${await text('answer')}`);
  return got;
}

async function twoPage() {
  await browser.open(two);
  await keep('two');
  const first = await agree('as baked');
  check(first.meets && first.contacts > 0, 'as baked they meet');
  await browser.click('#beside');
  await browser.frame();
  const apart = await agree('side by side');
  check(!apart.meets && apart.distance > 0, 'side by side they do not meet');
  await keep('apart');

  // The mesh under the pointer is dragged onto the other, and what is beside both turns the view.
  await browser.evaluate('document.getElementById("panel").scrollTop = 0');
  const [a, b] = [await middleOf(0), await middleOf(1)];
  const pose = () => browser.evaluate('JSON.stringify(kilnView.models.map((model) => model.pose()))');
  const before = await pose();
  await browser.drag(a, b);
  check((await pose()) !== before, 'dragging a mesh does not move it');
  const dragged = await agree('dragged');
  check(dragged.distance < apart.distance, `dragged onto the other: ${dragged.distance}`);
  await keep('dragged');
  const placed = await pose();
  await browser.drag([40, 40], [140, 80]);
  check((await pose()) === placed, 'dragging beside the meshes moves one');
  await browser.drag(await middleOf(1), [640, 300], 1);
  check((await pose()) !== placed, 'dragging with Alt does not turn');
  await agree('turned');

  // Numbers, buttons and keys.
  await browser.click('#reset');
  await browser.click('[data-turn="y+"]');
  await browser.evaluate('(() => { const e = document.getElementById("x"); e.focus(); e.value = "3.25"; e.dispatchEvent(new Event("input")); })()');
  await browser.frame();
  await agree('by numbers');
  const held = await pose();
  await browser.evaluate('document.getElementById("canvas").focus()');
  await browser.key('d', 'KeyD');
  check((await pose()) !== held, 'D does not move');
  await browser.key('A', 'KeyA', 8);
  await agree('by keys');
  await controls('two');
  await quiet('two');

  // Dark and narrow: nothing sticks out.
  await browser.open(two, { width: 400, height: 800, dark: true });
  await keep('narrow');
  check(await browser.evaluate('document.documentElement.scrollWidth') <= 400, 'the page is wider than 400');
  const colour = await browser.evaluate('getComputedStyle(document.body).color + getComputedStyle(document.getElementById("panel")).backgroundColor');
  check(/^rgb\(2\d\d.*rgb\([1-4]?\d,/.test(colour), `dark: ${colour}`);
  await quiet('narrow');

  await browser.open(still);
  check((await text('answer')) === 'No answers', `without libkiln: ${await text('answer')}`);
  await quiet('still');
}

async function reportPage() {
  await browser.open(report);
  await keep('report');
  const column = (i) => browser.evaluate(`[...document.querySelectorAll('#assets tbody tr')].map((row) => row.cells[${i}].firstChild.textContent)`);
  const rows = (await column(0)).length;
  check(rows === 3, `${rows} rows`);
  check(await browser.evaluate(`Promise.all([...document.querySelectorAll('#assets img')].map((image) => { image.loading = 'eager'; return image.decode().then(() => image.naturalWidth); }))
    .then((all) => all.length === 2 && all.every((width) => width === 144))`), 'the pictures');
  check(await browser.evaluate('typeof hacked === "undefined" && document.querySelectorAll("#assets b, #notes b, #notes img").length === 0'), 'a name has become markup');

  // Sorting by a column, both ways; what has no number comes last.
  await browser.click('#heads th:nth-child(4) button');
  const falling = (await column(3)).join(' ');
  check(falling === '12 4 –', `by triangles: ${falling}`);
  check(await browser.evaluate('document.querySelector("[aria-sort]").getAttribute("aria-sort")') === 'descending', 'aria-sort');
  await browser.click('#heads th:nth-child(4) button');
  check((await column(3)).join(' ') === '4 12 –', 'by triangles, the other way');
  await browser.evaluate('document.querySelector("#heads th:nth-child(2) button").focus()');
  await browser.key('Enter');
  check(await browser.evaluate('document.querySelector("#heads th:nth-child(2)").hasAttribute("aria-sort")'), 'a head by keys');

  // The filter, as it is typed.
  await browser.click('#filter');
  await browser.send('Input.insertText', { text: 'cube' });
  await browser.frame();
  check((await column(1)).length === 1 && (await column(1))[0].includes('cube'), `filtered: ${await column(1)}`);
  await browser.evaluate('(() => { const e = document.getElementById("filter"); e.value = ""; e.dispatchEvent(new Event("input")); })()');
  await browser.click('#only-warned');
  check((await column(1)).length === 1, `warned: ${await column(1)}`);
  await browser.click('#assets tbody a');
  check(await browser.evaluate('document.querySelector(":target h3").textContent').then((text) => text.includes('<b>')), 'the link to the warnings');
  await browser.click('#only-warned');
  await browser.click('#only-changed');
  check((await column(2)).length === 1, `changed: ${await column(2)}`);
  check((await text('changes')).includes('1 new'), await text('changes'));
  await controls('report');
  await browser.open(report, { width: 400, dark: true });
  await keep('report-narrow');
  check(await browser.evaluate('document.documentElement.scrollWidth') <= 400, 'the report is wider than 400');
  await quiet('report');
}

try {
  await onePage();
  await reportPage();
  await twoPage();
} catch (error) {
  check(false, error.stack);
} finally {
  await browser.close();
}
process.exit(bad > 0 ? 1 : 0);
