'use strict';
/* The picture: meshes, volumes of trees, marks of contacts, and the camera around them. Coordinates
 * of a file are kept relative to the middle of its bounds, so that a model far from the origin is
 * drawn as sharply as one that is not; a pose moves the frame of the file. */
const kilnScene = (() => {
  const T = THREE;
  const GOLDEN = 0.61803398875;

  /* Colours of categories: hues that follow each other at the golden angle differ. */
  function tint(index, dark) {
    const colour = new T.Color();
    colour.setHSL((0.58 + index * GOLDEN) % 1, 0.55, (dark ? 0.58 : 0.52) + 0.1 * (index % 3 - 1));
    return [colour.r, colour.g, colour.b].map((v) => Math.round(255 * v));
  }

  /* From blue, few, to red, many. */
  function scale(part) {
    const colour = new T.Color();
    colour.setHSL(0.62 * (1 - Math.min(1, Math.max(0, part))), 0.65, 0.55);
    return [colour.r, colour.g, colour.b].map((v) => Math.round(255 * v));
  }

  const css = (rgb) => `rgb(${rgb[0]}, ${rgb[1]}, ${rgb[2]})`;

  /* Corners of the lines of a unit volume. */
  function boxLines() {
    const at = [];
    for (let axis = 0; axis < 3; axis++) {
      for (let i = 0; i < 4; i++) {
        for (const end of [-1, 1]) {
          const p = [0, 0, 0];
          p[axis] = end;
          p[(axis + 1) % 3] = i & 1 ? 1 : -1;
          p[(axis + 2) % 3] = i & 2 ? 1 : -1;
          at.push(...p);
        }
      }
    }
    return new Float32Array(at);
  }

  function ballLines() {
    const at = [], parts = 40;
    for (let axis = 0; axis < 3; axis++) {
      for (let i = 0; i < parts; i++) {
        for (const k of [i, i + 1]) {
          const p = [0, 0, 0], angle = 2 * Math.PI * k / parts;
          p[(axis + 1) % 3] = Math.cos(angle);
          p[(axis + 2) % 3] = Math.sin(angle);
          at.push(...p);
        }
      }
    }
    return new Float32Array(at);
  }

  const VOLUME_VERTEX = `
    attribute vec3 place, extent, shade;
    attribute vec4 turn;
    varying vec3 hue;
    void main() {
      vec4 q = normalize(turn);
      vec3 p = position * extent;
      p += 2.0 * cross(q.xyz, cross(q.xyz, p) + q.w * p);
      hue = shade;
      gl_Position = projectionMatrix * modelViewMatrix * vec4(place + p, 1.0);
    }`;
  const VOLUME_FRAGMENT = `
    varying vec3 hue;
    void main() { gl_FragColor = vec4(hue, 0.85); }`;

  class Stage {
    constructor(canvas) {
      this.canvas = canvas;
      this.renderer = new T.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
      this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
      this.scene = new T.Scene();
      this.camera = new T.PerspectiveCamera(35, 1, 0.01, 1000);
      this.sun = new T.DirectionalLight(0xffffff, 0.55);
      this.scene.add(new T.HemisphereLight(0xffffff, 0x7a808a, 0.6), this.sun, this.sun.target);
      this.marks = new T.Group();
      this.scene.add(this.marks);
      this.target = new T.Vector3();
      this.distance = 3;
      this.around = 0.7;
      this.above = 0.45;
      this.up = 'y';
      this.radius = 1;
      this.frames = 0;
      this.waiting = false;
      new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
      this.resize();
    }

    resize() {
      const box = this.canvas.parentElement.getBoundingClientRect();
      const width = Math.max(1, Math.floor(box.width)), height = Math.max(1, Math.floor(box.height));
      this.renderer.setSize(width, height, false);
      this.camera.aspect = width / height;
      this.camera.updateProjectionMatrix();
      this.draw();
    }

    /* Draws soon, once, however often it is called before. */
    draw() {
      if (!this.waiting) {
        this.waiting = true;
        requestAnimationFrame(() => {
          this.waiting = false;
          if (this.before) {
            this.before();
          }
          this.place();
          this.renderer.render(this.scene, this.camera);
          this.frames++;
        });
      }
    }

    /* From the angles around the target to the camera. */
    place() {
      const c = Math.cos(this.above), p = this.camera.position;
      const side = [Math.sin(this.around) * c, Math.sin(this.above), Math.cos(this.around) * c];
      if (this.up === 'y') {
        p.set(side[0], side[1], side[2]);
        this.camera.up.set(0, 1, 0);
      } else {
        p.set(side[2], side[0], side[1]);
        this.camera.up.set(0, 0, 1);
      }
      p.multiplyScalar(this.distance).add(this.target);
      this.camera.near = Math.max(this.distance - 4 * this.radius, this.distance / 500);
      this.camera.far = this.distance + 8 * this.radius;
      this.camera.updateProjectionMatrix();
      this.camera.lookAt(this.target);
      this.camera.updateMatrixWorld();
      this.sun.position.copy(p).addScaledVector(this.camera.up, 0.6 * this.distance);
      this.sun.target.position.copy(this.target);
      this.sun.target.updateMatrixWorld();
    }

    /* Shows all that is visible. */
    whole(models) {
      const box = new T.Box3();
      for (const model of models) {
        if (model.group.visible) {
          model.group.updateMatrixWorld(true);
          box.union(model.box.clone().applyMatrix4(model.group.matrixWorld));
        }
      }
      if (box.isEmpty()) {
        return;
      }
      box.getCenter(this.target);
      this.radius = Math.max(box.getSize(new T.Vector3()).length() / 2, 1e-30);
      const narrow = Math.min(1, this.camera.aspect);
      this.distance = 1.02 * this.radius / Math.sin(this.camera.fov * Math.PI / 360) / narrow;
      this.draw();
    }

    orbit(dx, dy) {
      this.around -= dx;
      this.above = Math.max(-1.55, Math.min(1.55, this.above + dy));
      this.draw();
    }

    zoom(factor) {
      this.distance = Math.max(this.radius * 1e-4, Math.min(this.radius * 100, this.distance * factor));
      this.draw();
    }

    /* The shift in space that a shift of pixels means at the depth of `point`. */
    shift(dx, dy, point) {
      this.place();
      const depth = point.clone().sub(this.camera.position).dot(this.camera.getWorldDirection(new T.Vector3()));
      const height = this.canvas.parentElement.clientHeight;
      const unit = 2 * Math.max(depth, 0) * Math.tan(this.camera.fov * Math.PI / 360) / height;
      const e = this.camera.matrixWorld.elements;
      const right = new T.Vector3(e[0], e[1], e[2]), upward = new T.Vector3(e[4], e[5], e[6]);
      return right.multiplyScalar(dx * unit).addScaledVector(upward, -dy * unit);
    }

    pan(dx, dy) {
      this.target.sub(this.shift(dx, dy, this.target));
      this.draw();
    }

    /* The ray through a pixel, in space. */
    ray(x, y) {
      this.place();
      const box = this.canvas.getBoundingClientRect();
      const to = new T.Vector3(2 * (x - box.left) / box.width - 1, 1 - 2 * (y - box.top) / box.height, 0.5);
      to.unproject(this.camera);
      return { origin: this.camera.position.clone(), direction: to.sub(this.camera.position).normalize() };
    }

    /* Lines and points in space that queries found. Each: {points, colour, dots}. */
    mark(list) {
      while (this.marks.children.length > 0) {
        const child = this.marks.children.pop();
        child.geometry.dispose();
        child.material.dispose();
      }
      for (const { points, colour, dots } of list) {
        if (points.length === 0) {
          continue;
        }
        const origin = new T.Vector3(points[0], points[1], points[2]);
        const local = new Float32Array(points.length);
        for (let i = 0; i < points.length; i++) {
          local[i] = points[i] - points[i % 3];
        }
        const geometry = new T.BufferGeometry();
        geometry.setAttribute('position', new T.BufferAttribute(local, 3));
        const look = { color: colour, depthTest: false, transparent: true };
        const object = dots ? new T.Points(geometry, new T.PointsMaterial({ ...look, size: 7, sizeAttenuation: false }))
                            : new T.LineSegments(geometry, new T.LineBasicMaterial(look));
        object.position.copy(origin);
        object.frustumCulled = false;
        object.renderOrder = 2;
        this.marks.add(object);
      }
    }
  }

  /* A file of the page. */
  class Model {
    constructor(about, arrays, index) {
      this.about = about;
      this.arrays = arrays;
      this.index = index;
      this.group = new T.Group();
      this.inner = new T.Group();
      this.group.add(this.inner);
      this.tree = 0;
      this.level = Math.min(3, about.trees[0].levels.length - 1);
      this.colour = 'one';
      this.middle();
      this.makeMesh();
      this.makeFlat();
      this.setVolumes();
    }

    /* The bounds are those of the trees' boxes, volumes 0 of each. */
    middle() {
      const { centre, half } = this.arrays;
      const box = new T.Box3();
      for (const tree of this.about.trees) {
        const i = 3 * tree.start;
        const c = new T.Vector3(centre[i], centre[i + 1], centre[i + 2]);
        const h = new T.Vector3(half[i], half[i + 1], half[i + 2]);
        box.expandByPoint(c.clone().sub(h)).expandByPoint(c.add(h));
      }
      this.box = box;
      this.origin = box.getCenter(new T.Vector3());
      this.size = Math.max(box.getSize(new T.Vector3()).length(), 1e-30);
      this.inner.position.copy(this.origin);
      const o = [this.origin.x, this.origin.y, this.origin.z];
      for (let i = 0; i < centre.length; i++) {
        centre[i] -= o[i % 3];
      }
    }

    makeMesh() {
      const { vertices, triangles } = this.arrays;
      if (!vertices) {
        return;
      }
      const corners = new Float32Array(3 * triangles.length);
      const x = this.origin.x, y = this.origin.y, z = this.origin.z;
      for (let i = 0, to = 0; i < triangles.length; i++) {
        const from = 3 * triangles[i];
        corners[to++] = vertices[from] - x;
        corners[to++] = vertices[from + 1] - y;
        corners[to++] = vertices[from + 2] - z;
      }
      this.corners = corners;
      this.tints = new Uint8Array(corners.length).fill(200);
      const geometry = new T.BufferGeometry();
      geometry.setAttribute('position', new T.BufferAttribute(corners, 3));
      geometry.setAttribute('color', new T.BufferAttribute(this.tints, 3, true));
      geometry.boundingSphere = new T.Sphere(new T.Vector3(), this.size);
      this.mesh = new T.Mesh(geometry, new T.MeshPhongMaterial({
        vertexColors: T.VertexColors, flatShading: true, side: T.DoubleSide, shininess: 0, specular: 0,
        polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
      }));
      this.mesh.frustumCulled = false;
      this.inner.add(this.mesh);
      this.setColours();
    }

    /* Edges are drawn when they are first asked for. */
    showEdges(on) {
      if (on && !this.edges && this.mesh) {
        const n = this.corners.length / 9;
        const index = new Uint32Array(6 * n);
        for (let t = 0; t < n; t++) {
          index.set([3 * t, 3 * t + 1, 3 * t + 1, 3 * t + 2, 3 * t + 2, 3 * t], 6 * t);
        }
        const geometry = new T.BufferGeometry();
        geometry.setAttribute('position', this.mesh.geometry.getAttribute('position'));
        geometry.setIndex(new T.BufferAttribute(index, 1));
        this.edges = new T.LineSegments(geometry, new T.LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.35 }));
        this.edges.frustumCulled = false;
        this.inner.add(this.edges);
      }
      if (this.edges) {
        this.edges.visible = on;
      }
    }

    /* Triangles without area are drawn as lines and dots over everything. */
    makeFlat() {
      const flat = this.arrays.flat;
      if (!flat || !this.mesh) {
        return;
      }
      const points = new Float32Array(18 * flat.length);
      for (let i = 0; i < flat.length; i++) {
        const c = this.corners.subarray(9 * flat[i], 9 * flat[i] + 9);
        points.set(c.subarray(0, 6), 18 * i);
        points.set(c.subarray(3, 9), 18 * i + 6);
        points.set(c.subarray(6, 9), 18 * i + 12);
        points.set(c.subarray(0, 3), 18 * i + 15);
      }
      const geometry = new T.BufferGeometry();
      geometry.setAttribute('position', new T.BufferAttribute(points, 3));
      const look = { color: 0xff1fae, depthTest: false, transparent: true };
      this.flat = new T.Group();
      this.flat.add(new T.LineSegments(geometry, new T.LineBasicMaterial(look)),
        new T.Points(geometry, new T.PointsMaterial({ ...look, size: 5, sizeAttenuation: false })));
      for (const child of this.flat.children) {
        child.frustumCulled = false;
        child.renderOrder = 1;
      }
      this.inner.add(this.flat);
    }

    /* ---- what a triangle belongs to ---- */

    idOf(stored) {
      return this.arrays.ids ? this.arrays.ids[stored] : stored;
    }

    partOf(stored) {
      const parts = this.about.parts, id = this.idOf(stored);
      let low = 0, high = parts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (parts[middle].first <= id) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
      return low;
    }

    materialOf(stored) {
      return this.arrays.user ? this.arrays.user[this.idOf(stored)] : this.about.parts[this.partOf(stored)].user;
    }

    faceOf(stored) {
      const id = this.idOf(stored), part = this.about.parts[this.partOf(stored)];
      return this.arrays.faces ? this.arrays.faces[id] : part.face + id - part.first;
    }

    /* Calls `take(stored triangle, number of its leaf, triangles in the leaf)` over the tree. */
    eachInLeaves(take) {
      const tree = this.about.trees[this.tree], { leaf, first, order } = this.arrays;
      const end = tree.start + tree.levels.reduce((sum, level) => sum + level.volumes, 0);
      for (let i = tree.start + 1; i < end; i++) {
        for (let k = 0; k < leaf[i]; k++) {
          const slot = first[i] + k;
          take(tree.order === null ? tree.triangle_first + slot : order[tree.order + slot], i, leaf[i]);
        }
      }
    }

    /* Colours the triangles and returns the rows of a legend. */
    setColours() {
      const legend = [], tints = this.tints;
      if (!tints) {
        return legend;
      }
      const set = (t, rgb) => {
        for (let i = 9 * t; i < 9 * t + 9; i += 3) {
          tints[i] = rgb[0];
          tints[i + 1] = rgb[1];
          tints[i + 2] = rgb[2];
        }
      };
      const count = tints.length / 9;
      const dark = matchMedia('(prefers-color-scheme: dark)').matches;
      if (this.colour === 'part' || this.colour === 'material') {
        const names = this.colour === 'part'
          ? this.about.parts.map((part) => part.node || part.mesh || 'part without a name')
          : this.about.materials.map((name) => name || 'material without a name');
        const of = this.colour === 'part' ? (t) => this.partOf(t) : (t) => this.materialOf(t);
        const colours = [], totals = new Map();
        for (let t = 0; t < count; t++) {
          const kind = of(t);
          colours[kind] = colours[kind] || tint(kind, dark);
          totals.set(kind, (totals.get(kind) || 0) + 1);
          set(t, colours[kind]);
        }
        for (const kind of [...totals.keys()].sort((a, b) => a - b)) {
          legend.push({ rgb: css(colours[kind]), text: `${names[kind] ?? kind}: ${kilnDom.count(totals.get(kind))}` });
        }
      } else if (this.colour === 'leaf') {
        tints.fill(128);
        this.eachInLeaves((t, i) => set(t, tint(i, dark)));
      } else if (this.colour === 'size') {
        const most = this.about.trees[this.tree].leaf, colours = [];
        for (let i = 1; i <= most; i++) {
          colours[i] = scale(most > 1 ? (i - 1) / (most - 1) : 0);
          legend.push({ rgb: css(colours[i]), text: `${i} in a leaf` });
        }
        tints.fill(128);
        this.eachInLeaves((t, i, size) => set(t, colours[Math.min(size, most)]));
      } else {
        const rgb = [[150, 178, 214], [226, 178, 120], [160, 200, 150], [200, 160, 200]][this.index % 4];
        for (let t = 0; t < count; t++) {
          set(t, rgb);
        }
      }
      this.mesh.geometry.getAttribute('color').needsUpdate = true;
      return legend;
    }

    /* ---- volumes ---- */

    /* The volumes of a level, and with `above` the leaves of those before it. */
    setVolumes(above = true, visible = true) {
      const tree = this.about.trees[this.tree], { centre, half, turn, leaf } = this.arrays;
      const chosen = [], levels = [];
      let start = tree.start;
      for (let level = 0; level <= this.level; level++) {
        const end = start + tree.levels[level].volumes;
        for (let i = start; i < end; i++) {
          if (level === this.level || (above && leaf[i] > 0)) {
            chosen.push(i);
            levels.push(level);
          }
        }
        start = end;
      }
      const n = chosen.length;
      const place = new Float32Array(3 * n), extent = new Float32Array(3 * n);
      const turns = new Int16Array(4 * n), shade = new Uint8Array(3 * n);
      for (let k = 0; k < n; k++) {
        const i = chosen[k];
        place.set(centre.subarray(3 * i, 3 * i + 3), 3 * k);
        extent.set(half.subarray(3 * i, 3 * i + 3), 3 * k);
        turns.set(turn.subarray(4 * i, 4 * i + 4), 4 * k);
        shade.set(leaf[i] > 0 ? [30, 150, 70] : tint(levels[k] + 5), 3 * k);
      }
      const geometry = new T.InstancedBufferGeometry();
      const shape = tree.shape === 'ball' ? 'ball' : 'box';
      geometry.setAttribute('position', new T.BufferAttribute(shape === 'ball' ? ballLines() : boxLines(), 3));
      geometry.setAttribute('place', new T.InstancedBufferAttribute(place, 3));
      geometry.setAttribute('extent', new T.InstancedBufferAttribute(extent, 3));
      geometry.setAttribute('turn', new T.InstancedBufferAttribute(turns, 4, true));
      geometry.setAttribute('shade', new T.InstancedBufferAttribute(shade, 3, true));
      geometry.maxInstancedCount = n;
      if (this.volumes) {
        this.volumes.geometry.dispose();
        this.volumes.geometry = geometry;
      } else {
        this.volumes = new T.LineSegments(geometry, new T.ShaderMaterial({
          vertexShader: VOLUME_VERTEX, fragmentShader: VOLUME_FRAGMENT, transparent: true, depthWrite: false,
        }));
        this.volumes.frustumCulled = false;
        this.inner.add(this.volumes);
      }
      this.volumes.visible = visible;
      this.drawn = n;
    }

    /* ---- picking ---- */

    /* The nearest triangle along a ray in space: {stored, distance, point}; null: none. (After
     * Moeller and Trumbore 1997.) */
    pick(ray) {
      if (!this.mesh || !this.group.visible) {
        return null;
      }
      this.group.updateMatrixWorld(true);
      const back = new T.Matrix4().getInverse(this.inner.matrixWorld);
      const o = ray.origin.clone().applyMatrix4(back);
      const d = ray.direction.clone().transformDirection(back);
      const c = this.corners;
      let best = Infinity, stored = -1;
      for (let i = 0; i < c.length; i += 9) {
        const ax = c[i], ay = c[i + 1], az = c[i + 2];
        const ex = c[i + 3] - ax, ey = c[i + 4] - ay, ez = c[i + 5] - az;
        const fx = c[i + 6] - ax, fy = c[i + 7] - ay, fz = c[i + 8] - az;
        const px = d.y * fz - d.z * fy, py = d.z * fx - d.x * fz, pz = d.x * fy - d.y * fx;
        const det = ex * px + ey * py + ez * pz;
        if (det === 0) {
          continue;
        }
        const sx = o.x - ax, sy = o.y - ay, sz = o.z - az;
        const u = (sx * px + sy * py + sz * pz) / det;
        if (u < 0 || u > 1) {
          continue;
        }
        const qx = sy * ez - sz * ey, qy = sz * ex - sx * ez, qz = sx * ey - sy * ex;
        const v = (d.x * qx + d.y * qy + d.z * qz) / det;
        if (v < 0 || u + v > 1) {
          continue;
        }
        const t = (fx * qx + fy * qy + fz * qz) / det;
        if (t > 0 && t < best) {
          best = t;
          stored = i / 9;
        }
      }
      if (stored < 0) {
        return null;
      }
      const point = d.multiplyScalar(best).add(o).applyMatrix4(this.inner.matrixWorld);
      return { stored, distance: point.distanceTo(ray.origin), point };
    }

    /* The pose as libkiln takes it: rotation by rows, translation. */
    pose() {
      this.group.updateMatrix();
      const e = this.group.matrix.elements;
      return { rotation: [e[0], e[4], e[8], e[1], e[5], e[9], e[2], e[6], e[10]], translation: [e[12], e[13], e[14]] };
    }
  }

  return { Stage, Model, css };
})();
