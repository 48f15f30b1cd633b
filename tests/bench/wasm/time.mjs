// What time.c asks of the library, asked of the module through kiln.mjs: lines "wasm QUERY NANOSECONDS FOUND"
// in time of the processor, all threads of node together.
//
//     node time.mjs FOLDER CASES A B
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const [folder, casesName, nameA, nameB] = process.argv.slice(2);
const { Kiln } = await import(pathToFileURL(resolve(folder, 'kiln.mjs')));
const kiln = await Kiln.load();
const a = kiln.open(readFileSync(nameA)).tree(0), b = kiln.open(readFileSync(nameB)).tree(0);

const NUMBERS = 21, ROUNDS = 5;
const bytes = readFileSync(casesName), numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const cases = [];
for (let at = 0; at < numbers.length; at += NUMBERS) {
  const some = (from, size) => Array.from(numbers.subarray(at + from, at + from + size));
  const translation = some(9, 3), [x, y, z] = translation, rotation = some(0, 9), point = some(18, 3);
  cases.push({
    pose: { rotation, translation }, far: { rotation, translation: [x + 100, y, z] },
    ray: { origin: some(12, 3), direction: some(15, 3), tMin: 0, tMax: 1e30 }, point, sphere: { sphere: point, radius: 0.1 },
  });
}

const queries = {
  collide: (at) => +kiln.collide(a, null, b, at.pose).found,
  apart: (at) => +kiln.collide(a, null, b, at.far).found,
  within: (at) => +kiln.within(a, null, b, at.pose, 0.05).found,
  distance: (at) => +(kiln.distance(a, null, b, at.pose).distance > 0),
  summarise: (at) => kiln.summarise(a, null, b, at.pose).count,
  rayClosest: (at) => +kiln.rayClosest(a, at.pose, at.ray).found,
  overlapAny: (at) => +kiln.overlapAny(a, at.pose, at.sphere).found,
  locatePoint: (at) => +(kiln.locatePoint(a, at.pose, at.point) === 'inside'),
};
if (a.info.closed === 'open') delete queries.locatePoint;
for (const [name, ask] of Object.entries(queries)) {
  let least = Infinity, found = 0;
  for (let round = 0, times = 1; round < ROUNDS; round++) { // the first one compiles, and says how often to repeat
    found = 0;
    const start = process.cpuUsage();
    for (let k = 0; k < times; k++) for (const at of cases) found += ask(at);
    const { user, system } = process.cpuUsage(start), each = (1000 * (user + system)) / cases.length / times;
    found /= times;
    if (round > 0) least = Math.min(least, each);
    times = Math.ceil(3e7 / (each * cases.length));
  }
  console.log(`wasm ${name} ${least.toFixed(1)} ${found}`);
}
