// Asks the module what answers.c asked the library, and compares the bits of all answers.
//
//     answers COUNT FILE... | node compare.mjs FOLDER FILE...
//
// FOLDER has kiln.mjs and kiln.wasm. Prints how many queries of each kind there were and how many found something;
// the first differences on standard error, with status 1.
import { readFileSync, readSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const [folder, ...names] = process.argv.slice(2);
const { Kiln, KilnError } = await import(pathToFileURL(resolve(folder, 'kiln.mjs')));
const kiln = await Kiln.load();
const trees = names.flatMap((name) => kiln.open(readFileSync(name)).trees);

const KINDS = ['collide', 'within', 'distance', 'contacts', 'summarise', 'locateMesh', 'likely', 'rayClosest', 'rayAny',
  'rayAll', 'overlapAny', 'overlapAll', 'locatePoint'];
const PLACES = ['outside', 'inside', 'surface', 'parted'], SIDES = [undefined, 'front', 'back', 'edge'];
const VERDICTS = ['no', 'yes', 'undecided'], MODES = ['default', 'fast', 'careful'], CULLS = ['none', 'back', 'front'];
const STATUS = { ARGUMENT: 30, POSE: 31, OPEN_MESH: 32 };
const MOST = 3;

let at = 0, data; // where the next number of the question is
const take = () => data[at++];

function takeSome(count) {
  const numbers = new Array(count);
  for (let i = 0; i < count; i++) numbers[i] = data[at++];
  return numbers;
}

function takePose() {
  const kind = take();
  if (kind === 0) return null;
  const rotation = takeSome(kind === 1 ? 9 : 4), translation = takeSome(3), scale = take();
  if (kind === 1 && scale === 1) { // by columns, which changes no bit
    const [a, b, c, d, e, f, g, h, i] = rotation, [x, y, z] = translation;
    const matrix = [a, d, g, 0, b, e, h, 0, c, f, i, 0, x, y, z, 1];
    return at % 2 === 0 ? matrix : { elements: matrix };
  }
  return { rotation, translation, scale };
}

const pair = ({ a, b, valueA, valueB }) => [a, b, valueA, valueB];
const contact = (c) => [...pair(c), ...c.from, ...c.to, ...c.normal, c.depth];
const hint = (h) => [h.a, h.b];
const hit = (h) => [+h.found, ...pair(h), ...hint(h.hint)];
const rayHit = (h) => [h.triangle, h.value, Math.max(SIDES.indexOf(h.side), 0), h.t, ...h.weights, ...h.normal];

function takeRay() {
  const ray = { origin: takeSome(3), direction: takeSome(3), tMin: take(), tMax: take() };
  return [ray, { cull: CULLS[take()], most: MOST }];
}

function takeShape() {
  const kind = take(), a = takeSome(3), b = takeSome(3), radius = take();
  return kind === 1 ? { box: [a, b] } : kind === 2 ? { sphere: a, radius } : { capsule: [a, b], radius };
}

function ask(kind, a, b) {
  const poseA = takePose();
  const two = kind <= 6 ? [a, poseA, b, takePose()] : [];
  switch (KINDS[kind]) {
    case 'collide': return hit(kiln.collide(...two));
    case 'within': return hit(kiln.within(...two, take()));
    case 'distance': {
      const options = { beyond: take(), relative: take(), absolute: take(), hint: { a: take(), b: take() } };
      const n = kiln.distance(...two, options);
      return [+n.found, n.distance, ...pair(n), ...n.pointA, ...n.pointB, ...n.normal, ...hint(n.hint)];
    }
    case 'contacts': {
      const { count, contacts } = kiln.contacts(...two, { most: MOST });
      return [count, ...contacts.flatMap(contact)];
    }
    case 'summarise': {
      const { count, lower, upper, deepest } = kiln.summarise(...two);
      return [count, ...lower, ...upper, ...(deepest === null ? [] : contact(deepest))];
    }
    case 'locateMesh': return [PLACES.indexOf(kiln.locateMesh(...two))];
    case 'likely': {
      const n = kiln.likely(...two, { mode: MODES[take()], steps: take() });
      return [VERDICTS.indexOf(n.verdict), +n.proved, n.probability, n.score, n.steps, ...pair(n), n.most, n.rest, n.waiting];
    }
    case 'rayClosest':
    case 'rayAny': {
      const h = kiln[KINDS[kind]](a, poseA, ...takeRay());
      return [+h.found, ...rayHit(h)];
    }
    case 'rayAll': {
      const { count, hits } = kiln.rayAll(a, poseA, ...takeRay());
      return [count, ...hits.flatMap(rayHit)];
    }
    case 'overlapAny': {
      const poseShape = takePose(), h = kiln.overlapAny(a, poseA, takeShape(), poseShape);
      return [+h.found, h.triangle, h.value];
    }
    case 'overlapAll': {
      const poseShape = takePose();
      const { count, triangles, values } = kiln.overlapAll(a, poseA, takeShape(), poseShape, { most: 8 });
      return [count, ...Array.from(triangles, (t, i) => [t, values[i]]).flat()];
    }
    default: return [PLACES.indexOf(kiln.locatePoint(a, poseA, takeSome(3)))];
  }
}

// One number and its bits.
const one = new Float64Array(1), bits = new BigUint64Array(one.buffer);

function sameBits(a, b) {
  if (a === b && a !== 0) return true;
  one[0] = a;
  const bitsOfA = bits[0];
  one[0] = b;
  return bitsOfA === bits[0];
}

const asked = KINDS.map(() => 0), found = KINDS.map(() => 0), refused = KINDS.map(() => 0);
let differences = 0;

function differ(kind, question, wanted, got) {
  if (++differences > 10) return;
  console.error(`${KINDS[kind]} ${asked[kind]}: ${question.join(' ')}\n  library: ${Array.from(wanted).join(' ')}\n` +
    `  module:  ${got.join(' ')}`);
}

function check(from) {
  data = from;
  at = 0;
  while (at < from.length) {
    const kind = take(), a = take(), b = take(), size = take(), answer = take();
    const begin = at, end = begin + size;
    let got;
    try {
      got = ask(kind, trees[a], trees[b]);
    } catch (error) {
      if (!(error instanceof KilnError)) throw error;
      got = [-STATUS[error.code]];
    }
    let same = got.length === answer;
    for (let i = 0; same && i < answer; i++) same = sameBits(got[i], from[end + i]);
    if (!same) differ(kind, [a, b, ...from.slice(begin, end)], from.slice(end, end + answer), got);
    asked[kind]++;
    found[kind] += from[end] > 0 ? 1 : 0;
    refused[kind] += from[end] < 0 ? 1 : 0;
    at = end + answer;
  }
}

// So many bytes of standard input, or fewer at its end.
function read(size) {
  const bytes = new Uint8Array(size);
  let have = 0;
  while (have < size) {
    let count;
    try {
      count = readSync(0, bytes, have, size - have);
    } catch (error) {
      if (error.code === 'EAGAIN') continue;
      throw error;
    }
    if (count === 0) break;
    have += count;
  }
  return new Float64Array(bytes.buffer, 0, have / 8);
}

for (;;) {
  const size = read(8);
  if (size.length === 0) break;
  check(read(8 * size[0]));
}
KINDS.forEach((name, kind) => console.log(`${name} ${asked[kind]}, ${found[kind]} found, ${refused[kind]} refused`));
if (differences > 0) console.error(`${differences} answers differ`);
process.exit(differences > 0 ? 1 : 0);
