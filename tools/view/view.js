'use strict';
/* Controls and figures of the page, over scene.js and live.js. */
(() => {
  const { get, make, row, count, number, short } = kilnDom;
  const page = kilnData.document;
  const LIST_MOST = 50, DOTS_MOST = 100;
  /* Modules of the page have run by then. */
  const whole = new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve));
  let stage, models = [], chosen = 0, library = null, live = [], asked = '', answer = null, failed = '';

  const current = () => models[chosen];
  const say = (text) => {
    get('message').textContent = text;
    get('message').hidden = text === '';
  };

  /* ---- lists and tables ---- */

  function facts(list, rows) {
    list.replaceChildren();
    for (const [name, value] of rows) {
      list.append(make('dt', name), make('dd', value));
    }
  }

  function barCell(value, share) {
    const cell = make('td', undefined, 'bar'), bar = make('i');
    bar.style.width = `${(100 * Math.min(1, share)).toFixed(2)}%`;
    cell.append(bar, make('span', value));
    return cell;
  }

  function showLevelText() {
    const model = current(), tree = model.about.trees[model.tree], level = tree.levels[model.level];
    const words = { ball: 'balls', dop: 'boxes around k-DOPs', aligned: 'boxes', box: 'oriented boxes' }[tree.shape];
    get('level').setAttribute('aria-valuetext', `level ${model.level} of ${tree.levels.length - 1}`);
    get('level-text').textContent = `Level ${model.level} of ${tree.levels.length - 1}: ${count(level.volumes)} ${words}, ${count(level.leaves)} leaves; ${model.volumes.visible ? count(model.drawn) : 'none'} drawn`;
    [...get('levels').tBodies[0].rows].forEach((line, i) => line.classList.toggle('on', i === model.level));
  }

  function showLevels() {
    const model = current(), tree = model.about.trees[model.tree], body = get('levels').tBodies[0];
    const most = Math.max(...tree.levels.map((level) => level.cost), 1e-300);
    const total = tree.levels.reduce((sum, level) => sum + level.cost, 0);
    body.replaceChildren();
    tree.levels.forEach((level, i) => {
      const cell = make('td'), button = make('button', String(i));
      button.type = 'button';
      button.setAttribute('aria-label', `show level ${i}`);
      button.addEventListener('click', () => setLevel(i));
      cell.append(button);
      body.append(row([cell, count(level.volumes), count(level.leaves), number(level.area), barCell(number(level.cost), level.cost / most)]));
    });
    get('levels').tFoot.replaceChildren(row(['all', count(tree.levels.reduce((sum, level) => sum + level.volumes, 0)),
      count(tree.levels.reduce((sum, level) => sum + level.leaves, 0)), '', number(total)]));
    const sizes = get('leaves').tBodies[0], all = tree.leaf_sizes.reduce((sum, n) => sum + n, 0) || 1;
    sizes.replaceChildren();
    tree.leaf_sizes.forEach((n, i) => {
      if (n > 0 || i < tree.leaf) {
        sizes.append(row([String(i + 1), count(n), barCell(`${(100 * n / all).toFixed(1)} %`, n / all)]));
      }
    });
  }

  function showFile() {
    const about = current().about, counts = about.counts || {};
    facts(get('facts'), [
      ['name', about.name],
      ['triangles', count(about.triangles)],
      ['vertices', count(about.vertices)],
      ['bytes', `${count(about.bytes)} ${about.layout}, ${number(about.bytes / about.triangles, 2)} a triangle`],
      ['parts', count(about.parts.length)],
      ['materials', count(about.materials.length)],
      ['closed', { no: 'no', even: 'each edge evenly often', oriented: 'yes' }[about.trees[0].closed]],
      ['without area', count(counts.degenerate ?? 0)],
      ['duplicates', count(counts.duplicate ?? 0)],
      ['left out', `${count(counts.faces_dropped ?? 0)} faces, ${count(counts.points_left_out ?? 0)} points, ${count(counts.lines_left_out ?? 0)} lines`],
      ['warnings', count(counts.warnings ?? 0)],
    ]);
    const body = get('trees').tBodies[0];
    body.replaceChildren();
    for (const tree of about.trees.slice(0, LIST_MOST)) {
      body.append(row([tree.bv, tree.name, count(tree.nodes), count(tree.bytes_raw), number(tree.bytes_raw / tree.triangles, 2), number(tree.bytes_packed / tree.triangles, 2), number(tree.sah_cost, 2)]));
    }
    if (about.trees.length > LIST_MOST) {
      body.append(row([`and ${count(about.trees.length - LIST_MOST)} more`]));
    }
    showFlat();
    showDropped();
  }

  function showFlat() {
    const model = current(), flat = model.mesh ? model.arrays.flat || [] : [], list = get('flat');
    list.replaceChildren();
    get('flat-section').hidden = flat.length === 0;
    for (const t of flat.slice(0, LIST_MOST)) {
      const item = make('li'), button = make('button', 'show');
      button.type = 'button';
      button.setAttribute('aria-label', `show triangle ${model.idOf(t)}`);
      button.addEventListener('click', () => {
        model.group.updateMatrixWorld(true);
        stage.target.set(...model.corners.subarray(9 * t, 9 * t + 3)).applyMatrix4(model.inner.matrixWorld);
        stage.distance = model.size / 4;
        stage.draw();
        describe(model, t);
      });
      item.append(button, ' ', nameOf(model, t));
      list.append(item);
    }
    if (flat.length > LIST_MOST) {
      list.append(make('li', `and ${count(flat.length - LIST_MOST)} more`));
    }
  }

  function showDropped() {
    const dropped = current().about.dropped || [], list = get('dropped');
    list.replaceChildren();
    get('dropped-section').hidden = dropped.length === 0;
    for (const of of dropped.slice(0, LIST_MOST)) {
      const runs = [];
      for (let i = 0; i + 1 < of.faces.length && i < 12; i += 2) {
        runs.push(of.faces[i] === of.faces[i + 1] ? `${of.faces[i]}` : `${of.faces[i]} to ${of.faces[i + 1]}`);
      }
      const more = of.faces.length > 12 ? ' and more' : '';
      list.append(make('li', `${of.node || of.mesh || 'model'}, face ${runs.join(', ')}${more}: ${of.reason}`));
    }
    if (dropped.length > LIST_MOST) {
      list.append(make('li', `and ${count(dropped.length - LIST_MOST)} more`));
    }
  }

  function nameOf(model, t) {
    const part = model.about.parts[model.partOf(t)];
    const material = model.about.materials[model.materialOf(t)];
    return `triangle ${model.idOf(t)}, face ${model.faceOf(t)} of ${part.node || part.mesh || 'the model'}${material ? `, ${material}` : ''}`;
  }

  function describe(model, t) {
    get('picked').hidden = t === undefined;
    if (t !== undefined) {
      get('picked').textContent = (models.length > 1 ? `${model.about.name}: ` : '') + nameOf(model, t);
    }
  }

  /* ---- controls ---- */

  function setVolumes() {
    current().setVolumes(get('show-above').checked, get('show-boxes').checked);
    showLevelText();
    stage.draw();
  }

  function setLevel(level) {
    current().level = level;
    get('level').value = String(level);
    setVolumes();
  }

  function setColours() {
    const legend = current().setColours(), list = get('legend');
    list.replaceChildren();
    for (const { rgb, text } of legend.slice(0, LIST_MOST)) {
      const item = make('li'), swatch = make('i');
      swatch.style.background = rgb;
      item.append(swatch, make('span', text));
      list.append(item);
    }
    if (legend.length > LIST_MOST) {
      list.append(make('li', `and ${count(legend.length - LIST_MOST)} more`));
    }
    stage.draw();
  }

  function chooseTree(index) {
    const model = current(), levels = model.about.trees[index].levels.length;
    model.tree = index;
    model.level = Math.min(model.level, levels - 1);
    get('tree').value = String(index);
    get('level').max = String(levels - 1);
    get('level').value = String(model.level);
    showLevels();
    setVolumes();
    setColours();
  }

  function chooseFile(index) {
    chosen = index;
    const model = current();
    get('file').value = String(index);
    get('tree').replaceChildren(...model.about.trees.map((tree, i) => {
      const option = make('option', model.about.trees.length > 1 ? `${tree.bv}, ${tree.name}` : tree.bv);
      option.value = String(i);
      return option;
    }));
    get('colour').value = model.colour;
    get('show-file').checked = model.group.visible;
    get('show-mesh').checked = model.mesh ? model.mesh.visible : false;
    get('show-edges').checked = Boolean(model.edges && model.edges.visible);
    get('show-boxes').checked = model.volumes.visible;
    get('show-flat').checked = model.flat ? model.flat.visible : true;
    chooseTree(model.tree);
    showFile();
    showPose();
  }

  function showPose() {
    const p = current().group.position, digits = (v) => String(Number(v.toPrecision(6)));
    for (const axis of ['x', 'y', 'z']) {
      if (document.activeElement !== get(axis)) {
        get(axis).value = digits(p[axis]);
      }
      get(axis).step = String(Number((current().size / 100).toPrecision(1)));
    }
    get('pose-title').textContent = `Pose of ${current().about.name}`;
  }

  function moved() {
    showPose();
    stage.draw();
  }

  /* Turns the mesh around the middle of its bounds, by an axis of space. */
  function turn(model, axis, angle) {
    const q = new THREE.Quaternion().setFromAxisAngle(axis, angle);
    const middle = model.origin.clone().applyQuaternion(model.group.quaternion).add(model.group.position);
    model.group.quaternion.premultiply(q).normalize();
    model.group.position.copy(middle).sub(model.origin.clone().applyQuaternion(model.group.quaternion));
    moved();
  }

  function connect() {
    get('file').replaceChildren(...models.map((model, i) => {
      const option = make('option', model.about.name);
      option.value = String(i);
      return option;
    }));
    get('file-row').hidden = models.length < 2;
    get('pose').hidden = models.length < 2;
    get('file').addEventListener('change', () => chooseFile(Number(get('file').value)));
    get('tree').addEventListener('change', () => chooseTree(Number(get('tree').value)));
    get('level').addEventListener('input', () => setLevel(Number(get('level').value)));
    get('colour').addEventListener('change', () => {
      current().colour = get('colour').value;
      setColours();
    });
    get('up').addEventListener('change', () => {
      stage.up = get('up').value;
      stage.draw();
    });
    get('show-file').addEventListener('change', () => {
      current().group.visible = get('show-file').checked;
      stage.draw();
    });
    get('show-mesh').addEventListener('change', () => {
      if (current().mesh) {
        current().mesh.visible = get('show-mesh').checked;
      }
      stage.draw();
    });
    get('show-edges').addEventListener('change', () => {
      current().showEdges(get('show-edges').checked);
      stage.draw();
    });
    get('show-flat').addEventListener('change', () => {
      if (current().flat) {
        current().flat.visible = get('show-flat').checked;
      }
      stage.draw();
    });
    get('show-boxes').addEventListener('change', setVolumes);
    get('show-above').addEventListener('change', setVolumes);
    get('whole').addEventListener('click', () => stage.whole(models));
    for (const axis of ['x', 'y', 'z']) {
      get(axis).addEventListener('input', () => {
        const value = Number(get(axis).value);
        if (get(axis).value !== '' && Number.isFinite(value)) {
          current().group.position[axis] = value;
          moved();
        }
      });
    }
    for (const button of document.querySelectorAll('[data-turn]')) {
      button.addEventListener('click', () => {
        const axis = new THREE.Vector3();
        axis[button.dataset.turn[0]] = 1;
        turn(current(), axis, (button.dataset.turn[1] === '+' ? 1 : -1) * Math.PI / 12);
      });
    }
    get('reset').addEventListener('click', () => {
      current().group.position.set(0, 0, 0);
      current().group.quaternion.set(0, 0, 0, 1);
      moved();
    });
    get('beside').addEventListener('click', () => {
      const other = models[chosen === 0 ? 1 : 0], own = current();
      const boxOf = (model) => {
        model.group.updateMatrixWorld(true);
        return model.box.clone().applyMatrix4(model.group.matrixWorld);
      };
      const gap = 0.05 * Math.max(other.size, own.size);
      own.group.position.x += boxOf(other).max.x - boxOf(own).min.x + gap;
      moved();
      stage.whole(models);
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', setColours);
  }

  /* ---- pointer and keys ---- */

  function connectPointer() {
    const canvas = get('canvas'), pointers = new Map();
    let drag = null;
    const pickAt = (x, y) => {
      const ray = stage.ray(x, y);
      let best = null;
      for (const model of models) {
        const found = model.pick(ray);
        if (found && (!best || found.distance < best.distance)) {
          best = { ...found, model };
        }
      }
      return best;
    };
    const modeOf = () => document.querySelector('input[name=drag]:checked').value;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.focus();
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      const mode = models.length > 1 && event.button === 0 && !event.shiftKey ? modeOf() : 'camera';
      const found = mode === 'auto' ? pickAt(event.clientX, event.clientY) : null;
      drag = { x: event.clientX, y: event.clientY, far: 0, what: event.button !== 0 || event.shiftKey ? 'pan' : 'orbit', model: current() };
      if (mode === 'move' || mode === 'turn') {
        drag.what = mode;
      } else if (found) {
        drag.what = event.altKey || event.ctrlKey || event.metaKey ? 'turn' : 'move';
        drag.model = found.model;
        drag.point = found.point;
        if (found.model !== current()) {
          chooseFile(models.indexOf(found.model));
        }
      }
      if (drag.what === 'move' && !drag.point) {
        drag.point = drag.model.origin.clone().add(drag.model.group.position);
      }
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!pointers.has(event.pointerId) || !drag) {
        return;
      }
      const before = [...pointers.values()];
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      if (pointers.size === 2) {
        const after = [...pointers.values()];
        const far = (p) => Math.hypot(p[0][0] - p[1][0], p[0][1] - p[1][1]) || 1;
        stage.zoom(far(before) / far(after));
        drag.far = Infinity;
        return;
      }
      const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
      drag.x = event.clientX;
      drag.y = event.clientY;
      drag.far += Math.hypot(dx, dy);
      if (drag.what === 'orbit') {
        stage.orbit(dx * 0.008, dy * 0.008);
      } else if (drag.what === 'pan') {
        stage.pan(dx, dy);
      } else if (drag.what === 'move') {
        const shift = stage.shift(dx, dy, drag.point);
        drag.point.add(shift);
        drag.model.group.position.add(shift);
        moved();
      } else {
        const e = stage.camera.matrixWorld.elements;
        turn(drag.model, new THREE.Vector3(e[4], e[5], e[6]), dx * 0.01);
        turn(drag.model, new THREE.Vector3(e[0], e[1], e[2]), dy * 0.01);
      }
    });
    const end = (event) => {
      pointers.delete(event.pointerId);
      if (drag && drag.far < 4 && event.type === 'pointerup') {
        const found = pickAt(event.clientX, event.clientY);
        describe(found ? found.model : current(), found ? found.stored : undefined);
      }
      if (pointers.size === 0) {
        drag = null;
      }
    };
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      stage.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.0015))));
    }, { passive: false });
  }

  /* Right, up and towards the eye, as keys name them. */
  const MOVES = { KeyA: [-1, 0, 0], KeyD: [1, 0, 0], KeyW: [0, 1, 0], KeyS: [0, -1, 0], KeyQ: [0, 0, -1], KeyE: [0, 0, 1] };

  function connectKeys() {
    get('canvas').addEventListener('keydown', (event) => {
      const step = 0.08, turns = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
      if (event.ctrlKey || event.metaKey || event.altKey) {
        return;
      }
      if (turns[event.key]) {
        const [dx, dy] = turns[event.key];
        if (event.shiftKey) {
          stage.pan(-300 * dx, -300 * dy);
        } else {
          stage.orbit(dx, dy);
        }
      } else if (event.key === '+' || event.key === '=') {
        stage.zoom(0.9);
      } else if (event.key === '-') {
        stage.zoom(1 / 0.9);
      } else if (event.key === 'Home') {
        stage.whole(models);
      } else if (MOVES[event.code] && models.length > 1) {
        const [r, u, t] = MOVES[event.code], e = stage.camera.matrixWorld.elements;
        const axis = (k) => new THREE.Vector3(e[k], e[k + 1], e[k + 2]);
        if (event.shiftKey) {
          turn(current(), r ? axis(4) : u ? axis(0) : axis(8), (r || -u || t) * Math.PI / 60);
        } else {
          const shift = axis(0).multiplyScalar(r).addScaledVector(axis(4), u).addScaledVector(axis(8), t);
          current().group.position.addScaledVector(shift, current().size / 100);
          moved();
        }
      } else {
        return;
      }
      event.preventDefault();
    });
  }

  /* ---- live answers ---- */

  /* Asks about the first two files, once for each pose and choice of trees. */
  function ask() {
    const [a, b] = models;
    const question = JSON.stringify([a.pose(), a.tree, b.pose(), b.tree]);
    if (question === asked) {
      return;
    }
    asked = question;
    try {
      answer = library.ask(live[0][a.tree], a.pose(), live[1][b.tree], b.pose());
      failed = '';
    } catch (error) {
      answer = null;
      failed = error.message;
    }
    showAnswer();
  }

  function showAnswer() {
    const text = get('answer');
    if (!answer) {
      text.textContent = failed;
      text.className = '';
      facts(get('figures'), []);
      stage.mark([]);
      return;
    }
    const nearest = answer.nearest, words = answer.meets ? 'They meet' : 'They do not meet';
    if (text.textContent !== words) {
      text.textContent = words; /* read aloud when it changes only */
    }
    text.className = answer.meets ? 'meets' : 'apart';
    const point = (p) => p.map(short).join(', ');
    const spent = (time) => (time < 0.1 ? 'less than 0.1 ms' : `${number(time, 1)} ms`);
    facts(get('figures'), [
      ...(answer.meets ? [
        ['contacts', count(answer.summary.count)],
        ['deepest', short(answer.summary.deepest.depth)],
        ['between', `triangles ${answer.summary.deepest.a} and ${answer.summary.deepest.b}`],
      ] : []),
      ['distance', short(nearest.distance)],
      ...(answer.meets ? [] : [
        ['between', `triangles ${nearest.a} and ${nearest.b}`],
        ['from', point(nearest.pointA)],
        ['to', point(nearest.pointB)],
      ]),
      ['time', `meet ${spent(answer.times[0])}${answer.meets ? `, contacts ${spent(answer.times[1])}` : ''}, distance ${spent(answer.times[2])}`],
    ]);
    const segments = answer.contacts.flatMap((contact) => [...contact.from, ...contact.to]);
    const ink = getComputedStyle(document.body).color;
    const witness = [...nearest.pointA, ...nearest.pointB];
    stage.mark(answer.meets
      ? [{ points: segments, colour: 0xe5241c }, { points: segments.slice(0, 6 * DOTS_MOST), colour: 0xe5241c, dots: true }]
      : [{ points: witness, colour: ink }, { points: witness, colour: ink, dots: true }]);
  }

  async function startLive(raws) {
    get('live').hidden = models.length < 2;
    if (models.length < 2) {
      return;
    }
    if (!page.wasm || raws.slice(0, 2).some((raw) => !raw)) {
      get('answer').textContent = 'No answers';
      get('library').textContent = page.wasm ? 'A file has no polygons.' : 'This page has no libkiln: it was made with --no-live, or by a kiln that was built without WebAssembly.';
      return;
    }
    await whole;
    library = await window.kilnLive.load(await kilnData.read(page.wasm));
    live = raws.slice(0, 2).map((raw) => library.open(raw));
    get('library').textContent = `Answers of libkiln ${library.version}, compiled to WebAssembly${models.length > 2 ? ', about the first two files' : ''}.`;
    stage.before = ask;
    stage.draw();
  }

  /* ---- start ---- */

  async function start() {
    const names = page.files.map((file) => file.name);
    document.title = `${names.join(', ')} – kiln view`;
    get('title').textContent = names.join(', ');
    get('made').textContent = `Made by kiln ${page.kiln}. Everything is in this page; it loads nothing.`;
    try {
      stage = new kilnScene.Stage(get('canvas'));
    } catch (error) {
      say('This browser does not draw in space (WebGL): ' + error.message);
      return;
    }
    const raws = [];
    for (const [i, about] of page.files.entries()) {
      models.push(new kilnScene.Model(about, await kilnData.readAll(about.arrays), i));
      stage.scene.add(models[i].group);
    }
    if (models.length > 1) {
      /* Where meshes are moved, what they do is seen better without boxes around them. */
      models.forEach((model) => model.setVolumes(true, false));
      get('hint').textContent = 'Drag a mesh: move; with Alt or Ctrl: turn. Drag beside: turn the view. Wheel: nearer, farther.';
    }
    connect();
    connectPointer();
    connectKeys();
    chooseFile(0);
    stage.whole(models);
    window.kilnView = { stage, models, answer: () => answer, choose: chooseFile };
    for (const [i, about] of page.files.entries()) {
      raws.push(about.raw && i < 2 ? await kilnData.read(about.raw) : null);
      /* Sections that are arrays of the page, too, are in it once. */
      for (const { array, offset } of about.shared || []) {
        raws[i]?.set(new Uint8Array(models[i].arrays[array].buffer), offset);
      }
    }
    await startLive(raws);
    requestAnimationFrame(() => requestAnimationFrame(() => document.body.setAttribute('data-ready', String(performance.now() | 0))));
  }

  start().catch((error) => {
    say('This page could not be read: ' + error.message);
    throw error;
  });
})();
