// libkiln for JavaScript: loads kiln.wasm and gives its calls as methods. Works in node (18 and later), in pages and
// in workers; needs an engine with SIMD128. README.md describes it, index.d.ts has the types.
//
// What the module answers is what the library answers on any machine, bit for bit. Numbers pass through one array in
// the module's memory, whose places calls.c has, too. Addresses never leave this file, so that no caller can make one
// up: a file or a tree is an object of the class, and is refused when it is closed or belongs to another module.

// Places in the room of calls.c.
const POSE_A = 0, POSE_B = 13, SHAPE = 26, HINT = 33, ANSWER = 40, ROOM = 80;
const POSE_NONE = 0, POSE_ROTATION = 1, POSE_QUATERNION = 2;
const CONTACT_ROW = 14, RAY_ROW = 10, TRIANGLE_ROW = 2, VOLUME_ROW = 19;

// What KILN_OPEN_... of kiln.h are.
const TRUSTED = 1, NO_SOURCE = 2, NO_COUNTS = 4;

const STATUS = {
  10: 'NOT_FOUND', 11: 'IO', 12: 'NOT_A_FILE', 13: 'MEMORY', 14: 'LIMIT', 20: 'NOT_KILN', 21: 'VERSION', 22: 'TRUNCATED',
  23: 'CHECKSUM', 24: 'RULE', 25: 'FEATURE', 26: 'INFLATE', 27: 'NOT_LOADED', 28: 'PARTIAL', 30: 'ARGUMENT', 31: 'POSE',
  32: 'OPEN_MESH', 33: 'STOPPED', 34: 'FULL', 35: 'NO_OBJECT', 36: 'KIND',
};

const CLOSED = ['open', 'even', 'closed'];
const SIDES = [undefined, 'front', 'back', 'edge'];
const CULLS = { none: 0, back: 1, front: 2 };
const PLACES = ['outside', 'inside', 'surface', 'parted'];
const MODES = { default: 0, fast: 1, careful: 2 };
const VERDICTS = ['no', 'yes', 'undecided'];

// Every failure of a call: `code` is the end of the name of a kiln_status ('CHECKSUM', 'POSE', ...). Where a file was
// refused, `offset` and `rule` say what is wrong with it.
export class KilnError extends Error {
  constructor(code, message, details) {
    super(message);
    this.name = 'KilnError';
    this.code = code;
    Object.assign(this, details);
  }
}

function wrong(message) {
  return new KilnError('ARGUMENT', message);
}

function bytesOf(data, what) {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (typeof SharedArrayBuffer !== 'undefined' && data instanceof SharedArrayBuffer) return new Uint8Array(data);
  throw wrong(`${what} is an ArrayBuffer or a view of one`);
}

// Base64 in whichever way the host has it; with or without the head of a data: URL.
function bytesOfBase64(text) {
  const base64 = text.slice(text.startsWith('data:') ? text.indexOf(',') + 1 : 0);
  if (typeof Buffer !== 'undefined') return new Uint8Array(Buffer.from(base64, 'base64'));
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// kiln.wasm beside this file.
async function bytesBeside() {
  const url = new URL('kiln.wasm', import.meta.url);
  if (url.protocol === 'file:' && typeof process !== 'undefined' && process.versions?.node) {
    const { readFile } = await import('node:fs/promises');
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new KilnError('IO', `${url}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

async function moduleOf(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source === undefined) source = await bytesBeside();
  const bytes = typeof source === 'string' ? bytesOfBase64(source) : bytesOf(source, 'the module');
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw new KilnError('FEATURE', `the module does not compile, which needs SIMD128: ${error.message}`);
  }
}

function isNumbers(value, length) {
  return value != null && typeof value === 'object' && value.length === length;
}

// The set of numbers that a rotation, a translation and a scale are, out of a 4 x 4 matrix of columns. The scale is the
// mean length of the columns of the rotation, and 1 where rounding could have made it of 1.
function writeMatrix(to, at, matrix) {
  let sum = 0;
  for (let column = 0; column < 3; column++) {
    for (let row = 0; row < 3; row++) {
      const v = matrix[4 * column + row];
      sum += v * v;
    }
  }
  let scale = Math.sqrt(sum / 3);
  if (Math.abs(scale - 1) < 2.5e-7) scale = 1;
  for (let row = 0; row < 3; row++) {
    for (let column = 0; column < 3; column++) to[at + 3 * row + column] = matrix[4 * column + row] / scale;
    to[at + 9 + row] = matrix[12 + row];
  }
  to[at + 12] = scale;
  const affine = matrix[3] === 0 && matrix[7] === 0 && matrix[11] === 0 && matrix[15] === 1;
  if (!affine) to[at] = NaN; // a projection is no pose
}

// Writes a pose and returns its kind.
function writePose(to, at, pose) {
  if (pose == null) return POSE_NONE;
  if (typeof pose !== 'object') throw wrong('a pose is an object, a matrix of 16 numbers or null');
  if (pose.length === 16) {
    writeMatrix(to, at, pose);
    return POSE_ROTATION;
  }
  if (isNumbers(pose.elements, 16)) { // Matrix4 of three.js
    writeMatrix(to, at, pose.elements);
    return POSE_ROTATION;
  }
  // An array of another length would be the identity, since it has none of the members.
  if (pose.length !== undefined) throw wrong('a matrix has 16 numbers, column by column');
  const { rotation, translation, scale } = pose;
  let kind = POSE_ROTATION;
  if (rotation == null) {
    for (let k = 0; k < 9; k++) to[at + k] = k % 4 === 0 ? 1 : 0;
  } else if (isNumbers(rotation, 4)) {
    for (let k = 0; k < 4; k++) to[at + k] = rotation[k];
    kind = POSE_QUATERNION;
  } else if (isNumbers(rotation, 9)) {
    for (let k = 0; k < 9; k++) to[at + k] = rotation[k];
  } else {
    throw wrong('a rotation is a quaternion [x, y, z, w] or nine numbers, row by row');
  }
  if (translation == null) {
    to[at + 9] = to[at + 10] = to[at + 11] = 0;
  } else {
    write3(to, at + 9, translation, 'a translation');
  }
  to[at + 12] = scale === undefined ? 1 : scale;
  return kind;
}

function write3(to, at, numbers, what) {
  if (numbers == null || numbers.length !== 3) throw wrong(`${what} is three numbers`);
  to[at] = numbers[0];
  to[at + 1] = numbers[1];
  to[at + 2] = numbers[2];
}

function read3(from, at) {
  return [from[at], from[at + 1], from[at + 2]];
}

function readContact(from, at) {
  return {
    a: from[at], b: from[at + 1], valueA: from[at + 2], valueB: from[at + 3], from: read3(from, at + 4),
    to: read3(from, at + 7), normal: read3(from, at + 10), depth: from[at + 13],
  };
}

// Here and above every member is written out: spreading an object into another takes longer than a query of rays.
function readRayHit(from, at, found = true) {
  return {
    found, triangle: from[at], value: from[at + 1], side: SIDES[from[at + 2]], t: from[at + 3], weights: read3(from, at + 4),
    normal: read3(from, at + 7),
  };
}

function readVolume(from, at) {
  return {
    depth: from[at], triangles: from[at + 1], leaf: from[at + 2] === 1, centre: read3(from, at + 3),
    axes: [read3(from, at + 6), read3(from, at + 9), read3(from, at + 12)], half: read3(from, at + 15),
    radius: from[at + 18],
  };
}

function chosen(names, name, what) {
  const value = names[name];
  if (!Object.hasOwn(names, name)) throw wrong(`${what} is one of ${Object.keys(names).join(', ')}`);
  return value;
}

function cullOf(options) {
  return options?.cull === undefined ? 0 : chosen(CULLS, options.cull, 'cull');
}

function mostOf(options) {
  const most = options?.most ?? Infinity;
  if (!(most >= 0)) throw wrong('most is a number that is not negative');
  return Math.floor(most);
}

function writeHint(to, hint) {
  to[HINT] = hint?.a ?? NaN;
  to[HINT + 1] = hint?.b ?? 0;
}

// For constructors, which are ours alone.
const OURS = Symbol('kiln');

// A loaded module. `await Kiln.load()` makes one; several share nothing.
export class Kiln {
  #exports;
  #room;
  #views;
  #given;
  #stack;

  constructor(ours, exports) {
    if (ours !== OURS) throw wrong('await Kiln.load() makes a Kiln');
    this.#exports = exports;
    this.#room = exports.kiln_wasm_room() >>> 0;
    this.#views = { f64: null, u8: null };
    this.#given = null;
    this.#stack = exports.stackSave();
  }

  // `source`: the bytes of kiln.wasm (ArrayBuffer or a view), the same in base64, or a WebAssembly.Module; without one,
  // kiln.wasm beside this file is read.
  static async load(source) {
    const module = await moduleOf(source);
    let memory;
    const imports = {
      env: { emscripten_notify_memory_growth() {} },
      wasi_snapshot_preview1: {
        clock_time_get(id, precision, to) {
          new DataView(memory.buffer).setBigUint64(to >>> 0, BigInt(Math.round(performance.now() * 1e6)), true);
          return 0;
        },
      },
    };
    const { exports } = await WebAssembly.instantiate(module, imports);
    if (typeof exports.kiln_wasm_room !== 'function') throw wrong('this module is not kiln.wasm');
    memory = exports.memory;
    exports._initialize?.();
    return new Kiln(OURS, exports);
  }

  get version() {
    return this.#text(this.#exports.kiln_wasm_version());
  }

  // Bytes of memory that the module has from the host. It never shrinks; what close() gives back is used again.
  get memory() {
    return this.#exports.memory.buffer.byteLength;
  }

  // Opens a baked raw file. The bytes are copied. Options: trusted (no verification: only for bytes that were verified
  // before), noSource, noCounts, memoryLimit.
  open(data, options) {
    const flags = (options?.trusted ? TRUSTED : 0) | (options?.noSource ? NO_SOURCE : 0) |
      (options?.noCounts ? NO_COUNTS : 0);
    const memoryLimit = Number(options?.memoryLimit ?? 0), bytes = bytesOf(data, 'a file');
    const copy = this.#exports.kiln_wasm_allocate(bytes.length) >>> 0;
    if (copy === 0) throw this.#failure(13);
    this.#bytes().set(bytes, copy);
    const address = this.#exports.kiln_wasm_open(copy, bytes.length, flags, memoryLimit) >>> 0;
    if (address === 0) {
      const room = this.#numbers(), status = room[0], rule = room[1], offset = room[2];
      this.#exports.kiln_wasm_release(copy);
      throw new KilnError(STATUS[status], this.#text(this.#exports.kiln_wasm_error()) ||
        this.#text(this.#exports.kiln_wasm_status_text(status)), { rule, offset });
    }
    return new KilnFile(OURS, {
      kiln: this,
      address,
      count: this.#exports.kiln_wasm_tree_count(address) >>> 0,
      tree: (index) => this.#exports.kiln_wasm_tree(address, index) >>> 0,
      meta: () => {
        const at = this.#exports.kiln_wasm_meta(address) >>> 0;
        return at === 0 ? null : this.#textOf(at, this.#numbers()[0]);
      },
      info: (tree) => this.#info(tree),
      source: (tree, id) => this.#source(tree, id),
      corners: (tree, id) => {
        this.#check(this.#exports.kiln_wasm_corners(tree, id));
        const room = this.#numbers();
        return [read3(room, 0), read3(room, 3), read3(room, 6)];
      },
      user: (tree, id) => {
        this.#check(this.#exports.kiln_wasm_user(tree, id));
        return this.#numbers()[0];
      },
      triangles: (tree) => {
        this.#check(this.#exports.kiln_wasm_triangles(tree));
        const limit = this.#numbers()[0];
        const corners = new Float32Array(this.#exports.memory.buffer, this.#exports.kiln_wasm_list() >>> 0, 9 * limit).slice();
        this.#exports.kiln_wasm_forget_list();
        return corners;
      },
      volumes: (tree, depth) => {
        this.#check(this.#exports.kiln_wasm_volumes(tree, depth));
        return this.#list(VOLUME_ROW, this.#numbers()[0], readVolume);
      },
      close: () => {
        this.#exports.kiln_wasm_close(address);
        this.#exports.kiln_wasm_release(copy);
      },
    });
  }

  // ------------------------------------------------------------------------------------ queries of two meshes
  // Poses: null or undefined (identity); { rotation, translation, scale }, all optional, with a quaternion
  // [x, y, z, w] or nine numbers row by row; or 16 numbers, a matrix of columns as WebGL has it, also as `elements`.

  // Do the surfaces meet? { found, a, b, valueA, valueB, hint }
  collide(a, poseA, b, poseB) {
    const given = this.#take();
    const kinds = writePose(given, POSE_A, poseA) + 4 * writePose(given, POSE_B, poseB);
    const ta = this.#tree(a), tb = this.#tree(b);
    this.#give(given);
    this.#check(this.#exports.kiln_wasm_collide(ta, tb, kinds));
    return this.#hit();
  }

  // Are they within this distance of each other? Options: hint.
  within(a, poseA, b, poseB, distance, options) {
    const given = this.#take(), within = Number(distance);
    const kinds = writePose(given, POSE_A, poseA) + 4 * writePose(given, POSE_B, poseB);
    writeHint(given, options?.hint);
    const ta = this.#tree(a), tb = this.#tree(b);
    this.#give(given);
    this.#check(this.#exports.kiln_wasm_within(ta, tb, kinds, within));
    return this.#hit();
  }

  // How far are they apart? Options: beyond, relative, absolute, hint.
  distance(a, poseA, b, poseB, options) {
    const given = this.#take(), beyond = Number(options?.beyond ?? Infinity);
    const relative = Number(options?.relative ?? 0), absolute = Number(options?.absolute ?? 0);
    const kinds = writePose(given, POSE_A, poseA) + 4 * writePose(given, POSE_B, poseB);
    writeHint(given, options?.hint);
    const ta = this.#tree(a), tb = this.#tree(b);
    this.#give(given);
    this.#check(this.#exports.kiln_wasm_distance(ta, tb, kinds, beyond, relative, absolute));
    const from = this.#numbers(), at = ANSWER;
    return {
      found: from[at] === 1, distance: from[at + 1], a: from[at + 2], b: from[at + 3], valueA: from[at + 4],
      valueB: from[at + 5], pointA: read3(from, at + 6),
      pointB: read3(from, at + 9), normal: read3(from, at + 12), hint: { a: from[at + 15], b: from[at + 16] },
    };
  }

  // All pairs of triangles that meet, with where and how deep: { count, contacts }. Options: most, the largest number
  // of contacts that are returned; `count` is exact all the same.
  contacts(a, poseA, b, poseB, options) {
    const given = this.#take(), most = mostOf(options);
    const kinds = writePose(given, POSE_A, poseA) + 4 * writePose(given, POSE_B, poseB);
    const ta = this.#tree(a), tb = this.#tree(b);
    this.#give(given);
    this.#check(this.#exports.kiln_wasm_contacts(ta, tb, kinds, most));
    const [count, contacts] = this.#rows(CONTACT_ROW, readContact);
    return { count, contacts };
  }

  // { count, lower, upper, deepest }: how many, the box around all of them, and the deepest one (null: none).
  summarise(a, poseA, b, poseB) {
    const given = this.#take();
    const kinds = writePose(given, POSE_A, poseA) + 4 * writePose(given, POSE_B, poseB);
    const ta = this.#tree(a), tb = this.#tree(b);
    this.#give(given);
    this.#check(this.#exports.kiln_wasm_summarise(ta, tb, kinds));
    const from = this.#numbers(), count = from[ANSWER];
    return {
      count, lower: read3(from, ANSWER + 1), upper: read3(from, ANSWER + 4),
      deepest: count > 0 ? readContact(from, ANSWER + 7) : null,
    };
  }

  // Is the whole mesh B in the closed mesh A? 'outside', 'inside', 'surface' or 'parted'.
  locateMesh(a, poseA, b, poseB) {
    const given = this.#take();
    const kinds = writePose(given, POSE_A, poseA) + 4 * writePose(given, POSE_B, poseB);
    const ta = this.#tree(a), tb = this.#tree(b);
    this.#give(given);
    this.#check(this.#exports.kiln_wasm_locate_mesh(ta, tb, kinds));
    return PLACES[this.#numbers()[ANSWER]];
  }

  // Do they meet, probably? Options: mode ('default', 'fast', 'careful'), threshold, steps, nanoseconds.
  likely(a, poseA, b, poseB, options) {
    const given = this.#take(), mode = options?.mode === undefined ? 0 : chosen(MODES, options.mode, 'mode');
    const threshold = Number(options?.threshold ?? NaN), steps = Number(options?.steps ?? Infinity);
    const nanoseconds = Number(options?.nanoseconds ?? Infinity);
    const kinds = writePose(given, POSE_A, poseA) + 4 * writePose(given, POSE_B, poseB);
    const ta = this.#tree(a), tb = this.#tree(b);
    this.#give(given);
    this.#check(this.#exports.kiln_wasm_likely(ta, tb, kinds, mode, threshold, steps, nanoseconds));
    const from = this.#numbers(), at = ANSWER;
    return {
      verdict: VERDICTS[from[at]], proved: from[at + 1] === 1, probability: from[at + 2], score: from[at + 3],
      steps: from[at + 4], a: from[at + 5], b: from[at + 6], valueA: from[at + 7], valueB: from[at + 8], most: from[at + 9], rest: from[at + 10], waiting: from[at + 11],
    };
  }

  // ------------------------------------------------------------------------------------ queries of one mesh
  // A ray: { origin, direction, tMin = 0, tMax = Infinity }, or { from, to } for the segment between two points.

  // The first triangle that it meets. Options: cull ('none', 'back', 'front').
  rayClosest(tree, pose, ray, options) {
    return this.#ray(tree, pose, ray, options, 0);
  }

  // Any triangle that it meets.
  rayAny(tree, pose, ray, options) {
    return this.#ray(tree, pose, ray, options, 1);
  }

  // All of them, from near to far: { count, hits }. Options: cull, most.
  rayAll(tree, pose, ray, options) {
    const given = this.#take(), most = mostOf(options), cull = cullOf(options);
    const kind = writePose(given, POSE_A, pose);
    this.#writeRay(given, ray);
    const t = this.#tree(tree);
    this.#give(given);
    this.#check(this.#exports.kiln_wasm_ray_all(t, kind, cull, most));
    const [count, hits] = this.#rows(RAY_ROW, readRayHit);
    return { count, hits };
  }

  // Does the shape meet the surface? A shape is { box: [lower, upper] }, { sphere: centre, radius } or
  // { capsule: [from, to], radius }; its pose is the last argument.
  overlapAny(tree, pose, shape, poseShape) {
    const given = this.#take();
    const kinds = writePose(given, POSE_A, pose) + 4 * writePose(given, POSE_B, poseShape);
    const kind = this.#writeShape(given, shape), t = this.#tree(tree);
    this.#give(given);
    this.#check(this.#exports.kiln_wasm_overlap_any(t, kinds, kind));
    const from = this.#numbers();
    return { found: from[ANSWER] === 1, triangle: from[ANSWER + 1], value: from[ANSWER + 2] };
  }

  // All triangles that it meets: { count, triangles, values }, arrays of ids in ascending order. Options: most.
  overlapAll(tree, pose, shape, poseShape, options) {
    const given = this.#take(), most = mostOf(options);
    const kinds = writePose(given, POSE_A, pose) + 4 * writePose(given, POSE_B, poseShape);
    const kind = this.#writeShape(given, shape), t = this.#tree(tree);
    this.#give(given);
    this.#check(this.#exports.kiln_wasm_overlap_all(t, kinds, kind, most));
    const [count, rows] = this.#rows(TRIANGLE_ROW, (from, at) => [from[at], from[at + 1]]);
    return { count, triangles: Uint32Array.from(rows, (row) => row[0]), values: Uint32Array.from(rows, (row) => row[1]) };
  }

  // Is the point in the closed mesh? 'outside', 'inside' or 'surface'.
  locatePoint(tree, pose, point) {
    const given = this.#take(), kind = writePose(given, POSE_A, pose);
    write3(given, POSE_B, point, 'a point');
    const t = this.#tree(tree);
    this.#give(given);
    this.#check(this.#exports.kiln_wasm_locate_point(t, kind));
    return PLACES[this.#numbers()[ANSWER]];
  }

  // ------------------------------------------------------------------------------------ what is ours

  #ray(tree, pose, ray, options, any) {
    const given = this.#take(), cull = cullOf(options), kind = writePose(given, POSE_A, pose);
    this.#writeRay(given, ray);
    const t = this.#tree(tree);
    this.#give(given);
    this.#check(this.#exports.kiln_wasm_ray(t, kind, any, cull));
    const from = this.#numbers();
    return readRayHit(from, ANSWER + 1, from[ANSWER] === 1);
  }

  #writeRay(to, ray) {
    if (ray == null || typeof ray !== 'object') throw wrong('a ray is { origin, direction } or { from, to }');
    if (ray.from !== undefined) {
      write3(to, POSE_B, ray.from, 'the beginning of a ray');
      write3(to, POSE_B + 3, ray.to, 'the end of a ray');
      for (let k = 0; k < 3; k++) to[POSE_B + 3 + k] -= to[POSE_B + k];
      to[POSE_B + 6] = ray.tMin ?? 0;
      to[POSE_B + 7] = ray.tMax ?? 1;
      return;
    }
    write3(to, POSE_B, ray.origin, 'the origin of a ray');
    write3(to, POSE_B + 3, ray.direction, 'the direction of a ray');
    to[POSE_B + 6] = ray.tMin ?? 0;
    to[POSE_B + 7] = ray.tMax ?? Infinity;
  }

  #writeShape(to, shape) {
    to.fill(0, SHAPE, SHAPE + 7);
    if (shape == null || typeof shape !== 'object') throw wrong('a shape is { box }, { sphere, radius } or { capsule, radius }');
    if (shape.sphere !== undefined) {
      write3(to, SHAPE, shape.sphere, 'the centre of a sphere');
      to[SHAPE + 6] = shape.radius;
      return 2;
    }
    const ends = shape.box ?? shape.capsule;
    if (!isNumbers(ends, 2)) throw wrong('a box is two corners, and a capsule two ends');
    write3(to, SHAPE, ends[0], 'a corner or an end');
    write3(to, SHAPE + 3, ends[1], 'a corner or an end');
    to[SHAPE + 6] = shape.box !== undefined ? 0 : shape.radius;
    return shape.box !== undefined ? 1 : 3;
  }

  #info(tree) {
    this.#exports.kiln_wasm_tree_info(tree);
    const room = this.#numbers();
    return {
      name: this.#text(room[0]), bvName: this.#text(room[1]), bv: room[2], triangleCount: room[3], nodeCount: room[4],
      nodeSize: room[5], depth: room[6], leafMax: room[7], adbGrid: room[8], closed: CLOSED[room[9]],
      polygons: room[10] === 1, lower: read3(room, 11), upper: read3(room, 14),
      geometryHash: Array.from(room.subarray(17, 33), (byte) => byte.toString(16).padStart(2, '0')).join(''),
    };
  }

  #source(tree, id) {
    this.#check(this.#exports.kiln_wasm_source(tree, id));
    const room = this.#numbers();
    return {
      triangle: room[0], face: room[1], user: room[2], mesh: room[3], primitive: room[4], nodePath: this.#text(room[5]),
      meshName: this.#text(room[6]), material: this.#text(room[7]),
    };
  }

  #hit() {
    const from = this.#numbers(), at = ANSWER;
    return {
      found: from[at] === 1, a: from[at + 1], b: from[at + 2], valueA: from[at + 3], valueB: from[at + 4],
      hint: { a: from[at + 5], b: from[at + 6] },
    };
  }

  // The rows of the list, each as an object, and their exact number.
  #rows(width, read) {
    const room = this.#numbers(), count = room[ANSWER];
    return [count, this.#list(width, room[ANSWER + 1], read)];
  }

  #list(width, stored, read) {
    const out = new Array(stored);
    const list = new Float64Array(this.#exports.memory.buffer, this.#exports.kiln_wasm_list() >>> 0, stored * width);
    for (let i = 0; i < stored; i++) out[i] = read(list, width * i);
    if (stored > 4096) this.#exports.kiln_wasm_forget_list();
    return out;
  }

  // Members of what the caller passes may be functions that close a file, make the memory grow or ask about something
  // else. So all numbers are read first, into an array that is no memory of the module and that no other call has; then
  // trees are looked at, and nothing of the caller's runs before the answer is read.
  #take() {
    const given = this.#given ?? new Float64Array(ANSWER);
    this.#given = null;
    return given;
  }

  #give(given) {
    this.#numbers().set(given); // 20 ns of a call's 270
    this.#given = given;
  }

  // Views have to be made again when the memory has grown. Where the host had no stack left of its own, the last call
  // ended by an exception, and left the module's stack as it was then.
  #numbers() {
    const views = this.#views;
    if (this.#exports.stackSave() !== this.#stack) this.#exports.stackRestore(this.#stack);
    if (views.f64 === null || views.f64.length === 0) {
      views.f64 = new Float64Array(this.#exports.memory.buffer, this.#room, ROOM);
    }
    return views.f64;
  }

  #bytes() {
    const views = this.#views;
    if (views.u8 === null || views.u8.length === 0) views.u8 = new Uint8Array(this.#exports.memory.buffer);
    return views.u8;
  }

  #text(at) {
    const bytes = this.#bytes(), from = at >>> 0;
    return this.#textOf(from, bytes.indexOf(0, from) - from);
  }

  #textOf(at, size) {
    return new TextDecoder().decode(this.#bytes().slice(at, at + size));
  }

  #tree(tree) {
    return addressOf(tree, this);
  }

  #failure(status) {
    return new KilnError(STATUS[status] ?? 'ARGUMENT', this.#text(this.#exports.kiln_wasm_status_text(status)));
  }

  #check(status) {
    if (status !== 0) throw this.#failure(status);
  }
}

// Set by the class below: the address of a tree that is open in this module.
let addressOf;

// An open file: its trees, and what the bake wrote about itself.
export class KilnFile {
  #calls;
  #trees;

  constructor(ours, calls) {
    if (ours !== OURS) throw wrong('kiln.open() makes a file');
    this.#calls = calls;
    this.#trees = [];
    for (let i = 0; i < calls.count; i++) this.#trees.push(new KilnTree(OURS, this, () => this.#open(), calls.tree(i)));
  }

  #open() {
    if (this.#calls === null) throw wrong('the file is closed');
    return this.#calls;
  }

  get closed() {
    return this.#calls === null;
  }

  get treeCount() {
    this.#open();
    return this.#trees.length;
  }

  get trees() {
    this.#open();
    return this.#trees.slice();
  }

  // Tree number `index` in the file's order.
  tree(index = 0) {
    this.#open();
    const tree = this.#trees[Number(index)];
    if (tree === undefined) throw wrong(`the file has ${this.#trees.length} trees, and no number ${String(index)}`);
    return tree;
  }

  // The first tree with this name (undefined: any) and this kind ('obb', 'aabb', ...; undefined: any), or null.
  find(name, bvName) {
    this.#open();
    const fits = ({ info }) => (name === undefined || info.name === name) && (bvName === undefined || info.bvName === bvName);
    return this.#trees.find(fits) ?? null;
  }

  // The JSON document of the bake, or null.
  get meta() {
    const text = this.#open().meta();
    return text === null ? null : JSON.parse(text);
  }

  // Gives the memory back. The file and its trees are refused from then on; closing twice is allowed.
  close() {
    if (this.#calls === null) return;
    const calls = this.#calls;
    this.#calls = null;
    calls.close();
  }
}

if (Symbol.dispose) KilnFile.prototype[Symbol.dispose] = KilnFile.prototype.close;

// A tree of an open file.
export class KilnTree {
  #file;
  #calls;
  #address;

  constructor(ours, file, calls, address) {
    if (ours !== OURS) throw wrong('file.tree() gives a tree');
    this.#file = file;
    this.#calls = calls;
    this.#address = address;
  }

  static {
    addressOf = (tree, kiln) => {
      if (tree == null || typeof tree !== 'object' || !(#address in tree)) throw wrong('not a tree of kiln');
      if (tree.#calls().kiln !== kiln) throw wrong('the tree belongs to another module');
      return tree.#address;
    };
  }

  get file() {
    return this.#file;
  }

  get info() {
    return this.#calls().info(this.#address);
  }

  // Where a triangle comes from: part, face, material.
  source(triangle) {
    const id = Number(triangle); // what that calls may close the file
    return this.#calls().source(this.#address, id);
  }

  // Its three corners. The cost is a search over all triangles.
  corners(triangle) {
    const id = Number(triangle);
    return this.#calls().corners(this.#address, id);
  }

  // The corners of all its triangles: nine floats for each id, at 9 id; NaN where the tree has no triangle of that id.
  triangles() {
    return this.#calls().triangles(this.#address);
  }

  // Its volumes as oriented boxes, each before those below it, down to a depth (0: the whole tree).
  volumes(depth = Infinity) {
    const most = Number(depth);
    return this.#calls().volumes(this.#address, most);
  }

  // Its user value.
  user(triangle) {
    const id = Number(triangle);
    return this.#calls().user(this.#address, id);
  }
}
