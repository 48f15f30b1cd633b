// Whatever is passed, a call of the module returns or throws, and the next one answers as before.
//
//     node misuse.mjs FOLDER RAW.kiln PACKED.kiln CALLS
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const [folder, rawName, packedName, calls] = process.argv.slice(2);
const { Kiln, KilnFile, KilnTree, KilnError } = await import(pathToFileURL(resolve(folder, 'kiln.mjs')));
const wasm = readFileSync(resolve(folder, 'kiln.wasm')), raw = readFileSync(rawName), packed = readFileSync(packedName);

let state = 1; // Lehmer
const next = (below) => (state = (state * 48271) % 2147483647) % below;

const code = (wanted) => (error) => error instanceof KilnError && error.code === wanted && error.message.length > 0;

async function test(name, run) {
  console.log(`[ RUN      ] ${name}`);
  try {
    await run();
    console.log(`[       OK ] ${name}`);
  } catch (error) {
    console.log(error);
    console.log(`[  FAILED  ] ${name}`);
    process.exitCode = 1;
  }
}

const kiln = await Kiln.load();
const file = kiln.open(raw), tree = file.tree(0);
const pose = { translation: [0.3, 0.1, 0] };
const answers = () => JSON.stringify([kiln.collide(tree, null, tree, pose), kiln.contacts(tree, null, tree, pose),
  kiln.distance(tree, null, tree, { translation: [4, 0, 0] })]);
const wanted = answers();

await test('a module from bytes, base64, a data URL, a compiled module', async () => {
  const base64 = wasm.toString('base64');
  const copy = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length);
  for (const source of [wasm, copy, base64, `data:application/wasm;base64,${base64}`, new WebAssembly.Module(wasm)]) {
    const other = await Kiln.load(source), [t] = other.open(raw).trees;
    assert.deepEqual(other.collide(t, null, t, pose), kiln.collide(tree, null, tree, pose));
  }
  await assert.rejects(Kiln.load('AAAA'), code('FEATURE'));
  await assert.rejects(Kiln.load(5), code('ARGUMENT'));
  await assert.rejects(Kiln.load(new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0))), code('ARGUMENT'));
});

await test('a packed file: no zlib, and what to do', () => {
  assert.throws(() => kiln.open(packed), (e) => code('FEATURE')(e) && e.message.includes('kiln unpack'));
});

await test('what is no file', () => {
  assert.throws(() => kiln.open(new Uint8Array(0)), code('TRUNCATED'));
  assert.throws(() => kiln.open(new TextEncoder().encode('solid')), (e) => code('NOT_KILN')(e) && e.offset === 0);
  for (const data of [null, undefined, 'text', 5, {}, []]) assert.throws(() => kiln.open(data), code('ARGUMENT'));
  assert.equal(answers(), wanted);
});

await test('damaged files are refused, all of them', () => {
  for (let i = 0; i < 400; i++) {
    const bytes = Uint8Array.from(raw);
    const cut = i % 4 === 0 ? next(bytes.length) : bytes.length;
    if (i % 4 !== 0) bytes[next(bytes.length)] ^= 1 << next(8);
    assert.throws(() => kiln.open(bytes.subarray(0, cut)), KilnError);
  }
  assert.equal(answers(), wanted);
});

await test('trees that are none, closed, or of another module', async () => {
  const other = (await Kiln.load()).open(raw), shut = kiln.open(raw), old = shut.tree(0);
  shut.close();
  shut.close();
  const none = [null, undefined, 0, 1e9, 'tree', {}, [], Object.create(KilnTree.prototype), new Proxy(tree, {}), file,
    kiln, other.tree(0), old];
  for (const bad of none) {
    assert.throws(() => kiln.collide(bad, null, tree, null), code('ARGUMENT'));
    assert.throws(() => kiln.distance(tree, null, bad, null), code('ARGUMENT'));
    assert.throws(() => kiln.rayClosest(bad, null, { origin: [0, 0, 0], direction: [1, 0, 0] }), code('ARGUMENT'));
  }
  assert.throws(() => old.info, code('ARGUMENT'));
  assert.throws(() => shut.tree(0), code('ARGUMENT'));
  for (const no of [99, -1, 0.5, 'length']) assert.throws(() => file.tree(no), code('ARGUMENT'));
  for (const made of [Kiln, KilnFile, KilnTree]) assert.throws(() => new made(), code('ARGUMENT'));
  assert.equal(shut.closed, true);
  assert.equal(answers(), wanted);
});

await test('poses', () => {
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], twice = identity.map((v, i) => (i % 5 || i === 15 ? v : 2));
  const at = (p) => kiln.distance(tree, p, tree, { translation: [9, 0, 0] }).distance;
  for (const same of [undefined, {}, identity, Float32Array.from(identity), { elements: identity }, { scale: 1 },
    { rotation: [0, 0, 0, 1] }, { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], translation: null }]) {
    assert.equal(at(same), at(null));
  }
  assert.equal(at(twice), at({ scale: 2 }));
  const mirror = identity.map((v, i) => (i === 0 ? -1 : v)), sheared = identity.map((v, i) => (i === 1 ? 0.5 : v));
  const flat = identity.map((v, i) => (i === 3 ? 1 : v));
  for (const any of [mirror, sheared]) assert.ok(at(any) > 0);
  for (const bad of [flat, identity.map(() => NaN), identity.map(() => 0), { scale: 0 }, { scale: NaN },
    { translation: [0, 0, 1e70] }, { rotation: [1, 1, 1, 1] }]) {
    assert.throws(() => at(bad), code('POSE'));
  }
  for (const bad of [5, 'pose', true, [], [1, 2], new Array(12).fill(0), new Float64Array(7), { rotation: [1, 2] },
    { translation: 5 }]) {
    assert.throws(() => at(bad), code('ARGUMENT'));
  }
});

await test('ids, options, rays and shapes out of range', () => {
  for (const id of [-1, 0.5, 1e9, 4294967296, NaN, undefined, 'x', {}]) {
    assert.throws(() => tree.source(id), code('ARGUMENT'));
    assert.throws(() => tree.corners(id), code('ARGUMENT'));
  }
  assert.throws(() => kiln.within(tree, null, tree, null, -1), code('ARGUMENT'));
  assert.throws(() => kiln.within(tree, null, tree, null), code('ARGUMENT'));
  assert.throws(() => kiln.distance(tree, null, tree, null, { relative: -1 }), code('ARGUMENT'));
  assert.throws(() => kiln.distance(tree, null, tree, null, { hint: { a: -1, b: 0 } }), code('ARGUMENT'));
  assert.throws(() => kiln.contacts(tree, null, tree, null, { most: -1 }), code('ARGUMENT'));
  assert.throws(() => kiln.likely(tree, null, tree, null, { mode: 'toString' }), code('ARGUMENT'));
  assert.throws(() => kiln.rayAny(tree, null, { origin: [0, 0, 0], direction: [0, 0, 0] }), code('ARGUMENT'));
  assert.throws(() => kiln.rayAny(tree, null, { from: [0, 0, 0] }), code('ARGUMENT'));
  assert.throws(() => kiln.rayAny(tree, null, null), code('ARGUMENT'));
  assert.throws(() => kiln.overlapAny(tree, null, {}), code('ARGUMENT'));
  assert.throws(() => kiln.overlapAny(tree, null, { sphere: [0, 0, 0] }), code('ARGUMENT'));
  assert.throws(() => kiln.overlapAny(tree, null, { box: [[1, 0, 0], [0, 0, 0]] }), code('ARGUMENT'));
  assert.equal(kiln.contacts(tree, null, tree, null, { most: 0 }).contacts.length, 0);
});

// Arguments whose members are functions, which run while a call reads them.
await test('arguments that close the file', () => {
  const shutBy = (call) => {
    const closing = kiln.open(raw), old = closing.tree(0);
    const shut = (value) => {
      closing.close();
      for (let i = 0; i < 8; i++) assert.throws(() => kiln.open(new Uint8Array(raw.length).fill(255)), KilnError); // its memory
      return value;
    };
    assert.throws(() => call(old, shut), code('ARGUMENT'));
    assert.equal(closing.closed, true);
  };
  const number = (shut, value) => ({ valueOf: () => shut(value) });
  const ray = (shut) => ({ get origin() { return shut([-5, 0, 0]); }, direction: [1, 0, 0] });
  shutBy((t, shut) => kiln.collide(t, null, tree, { get translation() { return shut([0, 0, 0]); } }));
  shutBy((t, shut) => kiln.within(tree, null, t, null, number(shut, 1)));
  shutBy((t, shut) => kiln.distance(t, null, tree, null, { get hint() { return shut(null); } }));
  shutBy((t, shut) => kiln.distance(t, null, tree, null, { absolute: number(shut, 0) }));
  shutBy((t, shut) => kiln.likely(t, null, tree, null, { steps: number(shut, 5) }));
  shutBy((t, shut) => kiln.contacts(t, null, tree, null, { most: number(shut, 5) }));
  shutBy((t, shut) => kiln.summarise(t, { scale: number(shut, 1) }, tree, null));
  shutBy((t, shut) => kiln.locateMesh(t, { scale: number(shut, 1) }, tree, null));
  shutBy((t, shut) => kiln.rayClosest(t, null, ray(shut)));
  shutBy((t, shut) => kiln.rayAll(t, null, ray(shut)));
  shutBy((t, shut) => kiln.overlapAny(t, null, { sphere: [0, 0, 0], radius: number(shut, 1) }));
  shutBy((t, shut) => kiln.overlapAll(t, null, { sphere: [0, 0, 0], radius: number(shut, 1) }));
  shutBy((t, shut) => kiln.locatePoint(t, null, [0, 0, number(shut, 0)]));
  for (const name of ['source', 'corners', 'user', 'volumes']) shutBy((t, shut) => t[name](number(shut, 0)));
  assert.equal(answers(), wanted);
});

await test('arguments that make the memory grow, or ask', async () => {
  const own = await Kiln.load(), t = own.open(raw).tree(0), far = [4, 0, 0], before = own.memory;
  const grown = { get translation() { while (own.memory === before) own.open(raw); return far; } };
  assert.equal(own.collide(t, null, t, grown).found, false);
  const wanted = own.distance(t, { translation: [1, 2, 3] }, t, { translation: far });
  const asking = { get translation() { own.distance(t, { translation: [7, 7, 7] }, t, null); return far; } };
  assert.deepEqual(own.distance(t, { translation: [1, 2, 3] }, t, asking), wanted);
});

await test('arguments that throw leave no memory behind', () => {
  const before = kiln.memory;
  for (let i = 0; i < 2000; i++) {
    assert.throws(() => kiln.open(raw, { get memoryLimit() { throw new Error('thrown by an argument'); } }));
  }
  assert.ok(kiln.memory <= before + 1048576);
});

await test('lists that are longer than the first room', () => {
  const { count, contacts } = kiln.contacts(tree, null, tree, null);
  assert.ok(count > 256);
  assert.equal(contacts.length, count);
  contacts.forEach((c, i) => assert.ok(i === 0 || contacts[i - 1].a < c.a || (contacts[i - 1].a === c.a && contacts[i - 1].b < c.b)));
  assert.deepEqual(kiln.contacts(tree, null, tree, null, { most: 300 }).contacts, contacts.slice(0, 300));
});

await test('triangles and volumes', () => {
  const corners = tree.triangles(), { triangleCount, depth } = tree.info;
  assert.equal(corners.length % 9, 0);
  assert.ok(corners.length >= 9 * triangleCount);
  for (const id of [0, 7]) assert.deepEqual(Array.from(corners.subarray(9 * id, 9 * id + 9)), tree.corners(id).flat());
  const all = tree.volumes(), [whole] = tree.volumes(0);
  assert.equal(tree.volumes(0).length, 1);
  assert.equal(whole.triangles, triangleCount);
  assert.deepEqual(all[0], whole);
  assert.equal(all.filter((v) => v.leaf).reduce((sum, v) => sum + v.triangles, 0), triangleCount);
  assert.equal(Math.max(...all.map((v) => v.depth)), depth);
  assert.deepEqual(tree.volumes(1), all.filter((v) => v.depth <= 1));
});

await test('memory comes back', () => {
  const before = kiln.memory;
  for (let i = 0; i < 2000; i++) kiln.open(raw).close();
  assert.ok(kiln.memory <= before + 1048576);
  const files = Array.from({ length: 400 }, () => kiln.open(raw)); // the memory grows, and views of it are made again
  assert.ok(kiln.memory > before);
  assert.equal(answers(), wanted);
  files.forEach((f) => f.close());
});

await test('a host without stack left', () => {
  let ended = 0;
  const query = [() => kiln.collide(tree, null, tree, pose), () => kiln.contacts(tree, null, tree, null, { most: 1000 + ended })];
  // Out of the deepest calls the first ones fail: before the module, in it, or behind it.
  const deeper = (n) => {
    try {
      deeper(n + 1);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      if (ended < 200) {
        ended++;
        query[ended % 2]();
      }
      throw error;
    }
  };
  for (let i = 0; i < 40; i++) {
    ended = 0;
    assert.throws(() => deeper(0), RangeError);
    assert.equal(answers(), wanted);
  }
  assert.ok(ended > 1);
});

await test('a budget of time', () => {
  const { verdict, proved } = kiln.likely(tree, null, tree, pose, { nanoseconds: 1e9, threshold: Infinity });
  assert.equal(verdict, 'yes');
  assert.equal(proved, true);
  assert.equal(kiln.likely(tree, null, tree, pose, { nanoseconds: 0, threshold: Infinity }).verdict, 'undecided');
});

await test('a limit of memory', () => {
  assert.throws(() => kiln.open(raw, { memoryLimit: 1 }), code('LIMIT'));
  const most = new Uint8Array(64);
  assert.throws(() => kiln.open(most), KilnError);
});

await test(`${calls} calls with arguments by chance`, () => {
  const good = [null, pose, [0, 0, 0], [1, 0, 0], tree, file.tree(file.treeCount - 1), 0.5, { sphere: [1, 0, 0], radius: 0.5 },
    { box: [[-1, -1, -1], [1, 1, 1]] }, { origin: [-5, 0, 0], direction: [1, 0, 0] }, { most: 3 }, { steps: 5 }];
  const odd = [undefined, NaN, -0, Infinity, -1, 1e308, '', 'x', true, Symbol('s'), 5n, [], {}, () => 1, new Map(), raw,
    Object.create(null), { rotation: good }, { translation: [NaN, 1, 2] }, { rotation: 'abcd' }, { scale: -1 }, [1, 2, 3, 4],
    new Array(16).fill(1e300), { elements: [] }, { capsule: [[0, 0, 0], [1e61, 0, 0]], radius: 1 }, { from: [0, 0, 0], to: [1, 1, 1] },
    { get rotation() { throw new Error('thrown by an argument'); } }, { hint: { a: 4294967295, b: 4294967295 } }];
  const names = Object.getOwnPropertyNames(Kiln.prototype).filter((n) => typeof Object.getOwnPropertyDescriptor(Kiln.prototype, n).value === 'function' &&
    n !== 'constructor');
  let returned = 0, threw = 0;
  for (let i = 0; i < Number(calls); i++) {
    const name = names[next(names.length)];
    const args = Array.from({ length: next(7) }, (_, k) => ((k === 0 || k === 2) && next(4) > 0 ? tree
      : next(3) > 0 ? good[next(good.length)] : odd[next(odd.length)]));
    try {
      const answer = kiln[name](...args);
      answer?.close?.();
      returned++;
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw error;
      assert.ok(error instanceof KilnError || error instanceof TypeError || error.message === 'thrown by an argument', error);
      threw++;
    }
  }
  assert.ok(returned > calls / 20 && threw > calls / 20, `${returned} returned, ${threw} threw`);
  assert.equal(answers(), wanted);
});
