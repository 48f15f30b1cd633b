// Types of kiln.mjs, the collision queries of kiln in WebAssembly. Lengths are in units of the world, the frame that
// poses lead to; ids of triangles are those of the source model.

export type Numbers = ArrayLike<number>;
export type Vector = [number, number, number];

/** Why a call failed: the end of the name of a kiln_status of kiln.h. */
export type KilnErrorCode =
  | 'NOT_FOUND' | 'IO' | 'NOT_A_FILE' | 'MEMORY' | 'LIMIT' | 'NOT_KILN' | 'VERSION' | 'TRUNCATED' | 'CHECKSUM' | 'RULE'
  | 'FEATURE' | 'INFLATE' | 'NOT_LOADED' | 'PARTIAL' | 'ARGUMENT' | 'POSE' | 'OPEN_MESH' | 'STOPPED' | 'FULL'
  | 'NO_OBJECT' | 'KIND';

export class KilnError extends Error {
  readonly code: KilnErrorCode;
  /** Of a file that was refused: the byte where the error was found. */
  readonly offset?: number;
  /** With code 'RULE': the number of the rule of the format. */
  readonly rule?: number;
}

/** Where a mesh is: p_world = rotation (scale p) + translation. */
export interface KilnTransform {
  /** A quaternion [x, y, z, w], or nine numbers, row by row. Default: none. */
  rotation?: Numbers | null;
  /** Three numbers. Default: none. */
  translation?: Numbers | null;
  /** 2^-30 to 2^30. Default: 1. */
  scale?: number;
}

/**
 * null and undefined: identity. A matrix has 16 numbers, column by column, as WebGL and Matrix4 of three.js have it; it
 * has an inverse and projects nothing, else the call throws.
 */
export type KilnPose = KilnTransform | Numbers | { readonly elements: Numbers } | null | undefined;

/** Where the next query can start; from other trees it costs time and changes no answer. */
export interface KilnHint { a: number; b: number; }

/** Two triangles and their user values. All 0 where none were found. */
export interface KilnPair { a: number; b: number; valueA: number; valueB: number; }

export interface KilnHit extends KilnPair { found: boolean; hint: KilnHint; }

export interface KilnNearest extends KilnPair {
  /** false: farther apart than `beyond`. */
  found: boolean;
  distance: number;
  /** The nearest points on the triangles of A and B. */
  pointA: Vector;
  pointB: Vector;
  /** Unit vector from B to A. */
  normal: Vector;
  hint: KilnHint;
}

export interface KilnContact extends KilnPair {
  /** Ends of the segment in which the triangles meet. */
  from: Vector;
  to: Vector;
  /** Unit vector from B to A: moving A's triangle along it by `depth` separates the two. */
  normal: Vector;
  depth: number;
}

export interface KilnContacts {
  /** The exact number, also where `most` is less. */
  count: number;
  contacts: KilnContact[];
}

export interface KilnSummary {
  count: number;
  lower: Vector;
  upper: Vector;
  deepest: KilnContact | null;
}

export interface KilnLikely extends KilnPair {
  verdict: 'no' | 'yes' | 'undecided';
  proved: boolean;
  probability: number;
  score: number;
  steps: number;
  most: number;
  rest: number;
  waiting: number;
}

export interface KilnRayHit {
  found: boolean;
  triangle: number;
  value: number;
  side: 'front' | 'back' | 'edge' | undefined;
  t: number;
  weights: Vector;
  normal: Vector;
}

export type KilnRay =
  | { origin: Numbers; direction: Numbers; tMin?: number; tMax?: number }
  | { from: Numbers; to: Numbers; tMin?: number; tMax?: number };

export type KilnShape =
  | { box: [Numbers, Numbers] }
  | { sphere: Numbers; radius: number }
  | { capsule: [Numbers, Numbers]; radius: number };

export type KilnPlace = 'outside' | 'inside' | 'surface' | 'parted';

export interface KilnTreeInfo {
  name: string;
  /** 'obb', 'aabb', ... */
  bvName: string;
  bv: number;
  triangleCount: number;
  nodeCount: number;
  /** bytes */
  nodeSize: number;
  depth: number;
  leafMax: number;
  adbGrid: number;
  closed: 'open' | 'even' | 'closed';
  polygons: boolean;
  /** Box of the vertices, in the mesh's own frame. */
  lower: Vector;
  upper: Vector;
  /** 32 hexadecimal digits. */
  geometryHash: string;
}

/** A node's volume, as an oriented box that encloses it. */
export interface KilnVolume {
  depth: number;
  /** At or below it. */
  triangles: number;
  leaf: boolean;
  centre: Vector;
  axes: [Vector, Vector, Vector];
  half: Vector;
  /** Of balls; else 0. */
  radius: number;
}

export interface KilnSource {
  triangle: number;
  face: number;
  user: number;
  mesh: number;
  primitive: number;
  nodePath: string;
  meshName: string;
  material: string;
}

export interface KilnOpenOptions {
  /** No verification: only for bytes that were verified before. */
  trusted?: boolean;
  /** Do not load the map from triangles to their source. */
  noSource?: boolean;
  /** Do not load the counts of counted queries. */
  noCounts?: boolean;
  /** Most bytes of memory that the file may take, besides its own. 0: no limit. */
  memoryLimit?: number;
}

/** A tree of an open file. */
export class KilnTree {
  private constructor();
  readonly file: KilnFile;
  readonly info: KilnTreeInfo;
  source(triangle: number): KilnSource;
  corners(triangle: number): [Vector, Vector, Vector];
  user(triangle: number): number;
  /** Nine floats for each id, at 9 id; NaN where the tree has no triangle of that id. */
  triangles(): Float32Array;
  /** Each before those below it, down to `depth`. Default: all. */
  volumes(depth?: number): KilnVolume[];
}

/** An open file. Its memory is given back by close(). */
export class KilnFile {
  private constructor();
  readonly closed: boolean;
  readonly treeCount: number;
  readonly trees: KilnTree[];
  /** The JSON document of the bake. */
  readonly meta: unknown;
  tree(index?: number): KilnTree;
  find(name?: string, bvName?: string): KilnTree | null;
  close(): void;
}

export class Kiln {
  private constructor();
  /**
   * `source`: the bytes of kiln.wasm, the same in base64 (or as a data: URL), or a compiled module. Without one,
   * kiln.wasm beside this file is read.
   */
  static load(source?: ArrayBuffer | ArrayBufferView | string | WebAssembly.Module): Promise<Kiln>;
  readonly version: string;
  /** Bytes of memory that the module has. */
  readonly memory: number;
  open(data: ArrayBuffer | ArrayBufferView, options?: KilnOpenOptions): KilnFile;

  collide(a: KilnTree, poseA: KilnPose, b: KilnTree, poseB: KilnPose): KilnHit;
  within(a: KilnTree, poseA: KilnPose, b: KilnTree, poseB: KilnPose, distance: number,
    options?: { hint?: KilnHint }): KilnHit;
  distance(a: KilnTree, poseA: KilnPose, b: KilnTree, poseB: KilnPose,
    options?: { beyond?: number; relative?: number; absolute?: number; hint?: KilnHint }): KilnNearest;
  contacts(a: KilnTree, poseA: KilnPose, b: KilnTree, poseB: KilnPose, options?: { most?: number }): KilnContacts;
  summarise(a: KilnTree, poseA: KilnPose, b: KilnTree, poseB: KilnPose): KilnSummary;
  locateMesh(a: KilnTree, poseA: KilnPose, b: KilnTree, poseB: KilnPose): KilnPlace;
  likely(a: KilnTree, poseA: KilnPose, b: KilnTree, poseB: KilnPose,
    options?: { mode?: 'default' | 'fast' | 'careful'; threshold?: number; steps?: number; nanoseconds?: number }):
    KilnLikely;

  rayClosest(tree: KilnTree, pose: KilnPose, ray: KilnRay, options?: { cull?: 'none' | 'back' | 'front' }):
    KilnRayHit;
  rayAny(tree: KilnTree, pose: KilnPose, ray: KilnRay, options?: { cull?: 'none' | 'back' | 'front' }):
    KilnRayHit;
  rayAll(tree: KilnTree, pose: KilnPose, ray: KilnRay, options?: { cull?: 'none' | 'back' | 'front'; most?: number }):
    { count: number; hits: KilnRayHit[] };
  overlapAny(tree: KilnTree, pose: KilnPose, shape: KilnShape, poseShape?: KilnPose):
    { found: boolean; triangle: number; value: number };
  overlapAll(tree: KilnTree, pose: KilnPose, shape: KilnShape, poseShape?: KilnPose, options?: { most?: number }):
    { count: number; triangles: Uint32Array; values: Uint32Array };
  locatePoint(tree: KilnTree, pose: KilnPose, point: Numbers): KilnPlace;
}
