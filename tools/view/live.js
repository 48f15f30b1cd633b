'use strict';
/* libkiln itself, as WebAssembly: the calls of kiln.h that the page asks, on memory of the module.
 * Structures lie as the 32-bit ABI of clang lays them out. */
const kilnLive = (() => {
  const POSE = 104, HIT = 28, NEAREST = 112, CONTACT = 104, SUMMARY = 160, OPTIONS = 56;
  const CONTACTS_MOST = 4096;

  class Library {
    constructor(exports) {
      this.c = exports;
      this.poses = [this.take(POSE), this.take(POSE)];
      this.hit = this.take(HIT);
      this.nearest = this.take(NEAREST);
      this.summary = this.take(SUMMARY);
      this.options = this.take(OPTIONS);
      this.count = this.take(8);
      this.contacts = this.take(CONTACT * CONTACTS_MOST);
      this.c.kiln_pair_options_default(this.options);
      this.hint = [0, 0];
    }

    take(size) {
      const at = this.c.malloc(size);
      if (at === 0) {
        throw new Error('libkiln has no memory');
      }
      return at;
    }

    /* The memory may have grown, and with that moved. */
    view() {
      return new DataView(this.c.memory.buffer);
    }

    text(at) {
      const bytes = new Uint8Array(this.c.memory.buffer, at);
      return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
    }

    check(status) {
      if (status !== 0) {
        throw new Error('libkiln: ' + this.text(this.c.kiln_status_text(status)));
      }
    }

    version() {
      return this.text(this.c.kiln_version());
    }

    /* Opens the bytes of a raw file, which stay in the module's memory, and lists its trees. */
    open(bytes) {
      const at = this.take(bytes.length);
      new Uint8Array(this.c.memory.buffer).set(bytes, at);
      this.check(this.c.kiln_open_memory(at, bytes.length, 0, this.count));
      const file = this.view().getUint32(this.count, true);
      const trees = [];
      for (let i = 0; i < this.c.kiln_file_tree_count(file); i++) {
        trees.push(this.c.kiln_file_tree(file, i));
      }
      return trees;
    }

    vector(at) {
      const view = this.view();
      return [0, 8, 16].map((offset) => view.getFloat64(at + offset, true));
    }

    putPose(at, pose) {
      const view = this.view();
      pose.rotation.concat(pose.translation, 1).forEach((value, i) => view.setFloat64(at + 8 * i, value, true));
    }

    /* Whether two placed trees meet, where, and how far apart they are. */
    ask(a, poseA, b, poseB) {
      const c = this.c, [at, bt] = this.poses;
      this.putPose(at, poseA);
      this.putPose(bt, poseB);
      const times = [performance.now()];
      this.check(c.kiln_collide(a, at, b, bt, 0, this.hit));
      times.push(performance.now());
      const meets = this.view().getUint8(this.hit) !== 0;
      const out = { meets, contacts: 0, segments: [] };
      if (meets) {
        this.check(c.kiln_contacts_summarise(a, at, b, bt, 0, this.summary));
        this.check(c.kiln_contacts_geometry(a, at, b, bt, 0, this.contacts, CONTACTS_MOST, this.count));
        const view = this.view();
        out.contacts = view.getUint32(this.summary, true);
        out.depth = view.getFloat64(this.summary + 8 + 96, true);
        out.pair = [view.getUint32(this.summary + 8, true), view.getUint32(this.summary + 12, true)];
        for (let i = 0; i < Math.min(out.contacts, CONTACTS_MOST); i++) {
          out.segments.push(...this.vector(this.contacts + CONTACT * i + 24), ...this.vector(this.contacts + CONTACT * i + 48));
        }
      }
      times.push(performance.now());
      /* What is equally near everywhere takes long, and a page shows five digits. */
      const options = this.view();
      options.setFloat64(this.options + 24, 1e-9, true);
      options.setUint32(this.options + 40, this.hint[0], true);
      options.setUint32(this.options + 44, this.hint[1], true);
      this.check(c.kiln_distance(a, at, b, bt, this.options, this.nearest));
      times.push(performance.now());
      const view = this.view();
      out.distance = view.getFloat64(this.nearest + 8, true);
      out.nearest = [view.getUint32(this.nearest + 16, true), view.getUint32(this.nearest + 20, true)];
      out.from = this.vector(this.nearest + 32);
      out.to = this.vector(this.nearest + 56);
      this.hint = [view.getUint32(this.nearest + 104, true), view.getUint32(this.nearest + 108, true)];
      out.times = times.slice(1).map((time, i) => time - times[i]);
      return out;
    }
  }

  /* What the module imports of a system is not there: each such call fails. */
  async function load(bytes) {
    const module = await WebAssembly.compile(bytes);
    const imports = {};
    for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
      imports[from] = imports[from] || {};
      if (kind === 'function') {
        imports[from][name] = () => 52;
      }
    }
    const instance = await WebAssembly.instantiate(module, imports);
    if (instance.exports._initialize) {
      instance.exports._initialize();
    }
    return new Library(instance.exports);
  }

  return { load };
})();
