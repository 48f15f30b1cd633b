'use strict';
/* The data of a page: one document of JSON, and blocks of numbers that it names. tools/view/page.c
 * says how a block is written. */
const kilnData = (() => {
  const TYPES = { u8: Uint8Array, i16: Int16Array, u32: Uint32Array, f32: Float32Array };

  function fromBase64(text) {
    if (Uint8Array.fromBase64) {
      return Uint8Array.fromBase64(text);
    }
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < bytes.length; i++) {
      bytes[i] = letters.charCodeAt(i);
    }
    return bytes;
  }

  async function inflate(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  /* The values of a block, which is taken out of the page: nothing reads it twice. */
  async function read(about) {
    const element = document.getElementById('block' + about.block);
    const planes = await inflate(fromBase64(element.textContent));
    element.remove();
    const count = about.count;
    if (about.type === 'u8') {
      return planes;
    }
    const values = new TYPES[about.type](count);
    if (values.BYTES_PER_ELEMENT === 2) {
      for (let i = 0; i < count; i++) {
        values[i] = planes[i] | planes[count + i] << 8;
      }
      return values;
    }
    const bits = new Uint32Array(values.buffer);
    const a = planes.subarray(count), b = planes.subarray(2 * count), c = planes.subarray(3 * count);
    for (let i = 0; i < count; i++) {
      bits[i] = planes[i] | a[i] << 8 | b[i] << 16 | c[i] << 24;
    }
    for (let i = about.step; about.step > 0 && i < count; i++) {
      bits[i] += bits[i - about.step];
    }
    return values;
  }

  /* All arrays of an object of descriptions. */
  async function readAll(descriptions) {
    const names = Object.keys(descriptions);
    const values = await Promise.all(names.map((name) => read(descriptions[name])));
    return Object.fromEntries(names.map((name, i) => [name, values[i]]));
  }

  return { document: JSON.parse(document.getElementById('document').textContent), read, readAll };
})();

/* Small helpers of all pages. Texts go into elements as texts. */
const kilnDom = {
  get: (id) => document.getElementById(id),
  make(tag, text, name) {
    const element = document.createElement(tag);
    if (text !== undefined) {
      element.textContent = text;
    }
    if (name) {
      element.className = name;
    }
    return element;
  },
  row(cells) {
    const row = document.createElement('tr');
    for (const cell of cells) {
      row.append(cell instanceof Node ? cell : kilnDom.make('td', cell));
    }
    return row;
  },
  count: (value) => Number(value).toLocaleString('en-US'),
  number: (value, digits = 3) => value === null || value === undefined ? '–' : Number(value).toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits }),
  short: (value) => !Number.isFinite(value) ? '–' : value === 0 ? '0' : Math.abs(value) >= 1e6 || Math.abs(value) < 1e-4 ? value.toExponential(3) : String(Number(value.toPrecision(5))),
};
