/* What the page asks libkiln, by the calls of runtime/wasm/kiln.mjs, which the build puts before these lines: both
 * are one module of the page. */
window.kilnLive = (() => {
  const CONTACTS_MOST = 4096;
  const now = () => performance.now();

  class Library {
    constructor(kiln) {
      this.kiln = kiln;
      this.hint = undefined;
    }

    get version() {
      return this.kiln.version;
    }

    /* The trees of the bytes of a raw file. */
    open(bytes) {
      return this.kiln.open(bytes).trees;
    }

    /* Do two placed trees meet, where, and how far are they apart? Times are in milliseconds. */
    ask(a, poseA, b, poseB) {
      const times = [now()];
      const hit = this.kiln.collide(a, poseA, b, poseB);
      times.push(now());
      const summary = hit.found ? this.kiln.summarise(a, poseA, b, poseB) : null;
      const contacts = hit.found ? this.kiln.contacts(a, poseA, b, poseB, { most: CONTACTS_MOST }).contacts : [];
      times.push(now());
      /* What is equally near everywhere would take long, and the page shows five digits. */
      const nearest = this.kiln.distance(a, poseA, b, poseB, { relative: 1e-9, hint: this.hint });
      times.push(now());
      this.hint = nearest.hint;
      return { meets: hit.found, summary, contacts, nearest, times: times.slice(1).map((time, i) => time - times[i]) };
    }
  }

  return { load: async (bytes) => new Library(await Kiln.load(bytes)) };
})();
