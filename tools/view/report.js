'use strict';
/* The table of a report of kiln bake. A row is an asset of the document; `before` is what the page that was there
 * before said of the same output. */
(() => {
  const { get, make, count, number, short } = kilnDom;
  const page = kilnData.document;
  const ROWS_MOST = 2000;
  const OUTCOMES = { baked: 'baked', cached: 'from the cache', up_to_date: 'up to date', failed: 'failed', not_baked: 'not baked' };

  const costOf = (asset) => {
    const costs = Object.values((asset && asset.costs) || {});
    return costs.length > 0 ? Math.min(...costs) : undefined;
  };
  const leftOf = (asset) => asset.faces_dropped === undefined ? undefined : asset.faces_dropped + asset.points_left_out + asset.lines_left_out;
  const eachOf = (asset) => asset.triangles > 0 ? asset.bytes / asset.triangles : undefined;
  const notesOf = (asset) => (asset.notes || []).length;

  /* What has changed: null where there is nothing to compare with. */
  function changeOf(asset) {
    const before = asset.before;
    if (!page.compared) {
      return null;
    }
    if (!before) {
      return 'new';
    }
    if ((asset.status !== 0) !== (before.status !== 0)) {
      return asset.status !== 0 ? 'fails now' : 'works now';
    }
    return asset.hash !== before.hash && asset.status === 0 ? 'changed' : null;
  }

  /* "+12.5 %" beside a value that was another. `good`: less is better. */
  function change(value, before, good) {
    if (value === undefined || value === null || before === undefined || before === null || value === before) {
      return null;
    }
    const part = before > 0 ? value / before - 1 : null;
    const text = part === null || Math.abs(part) > 10 ? `was ${short(before)}` : `${part > 0 ? '+' : '−'}${(100 * Math.abs(part)).toFixed(1)} %`;
    const span = make('span', text, `change ${good === undefined ? 'quiet' : (value > before) === good ? 'more' : 'less'}`);
    span.title = `was ${short(before)}`;
    return span;
  }

  function cell(text, after) {
    const td = make('td', text);
    if (after) {
      td.append(after);
    }
    return td;
  }

  const before = (asset) => asset.before || {};
  /* Columns: a head, what sorts, what is shown. */
  const columns = [
    { head: 'picture', make: (asset) => {
      const td = make('td');
      if (asset.picture) {
        const image = make('img');
        image.alt = '';
        image.loading = 'lazy';
        image.src = 'data:image/png;base64,' + asset.picture;
        td.append(image);
      } else {
        td.append(make('span', undefined, 'none'));
      }
      return td;
    } },
    { head: 'asset', key: (asset) => asset.output, make: (asset) => {
      const td = make('td', undefined, 'name');
      td.append(make('span', asset.output), make('span', asset.input, 'quiet'));
      return td;
    } },
    { head: 'outcome', key: (asset) => asset.outcome, make: (asset) => {
      const td = make('td'), what = changeOf(asset);
      td.append(make('span', OUTCOMES[asset.outcome] || asset.outcome, `outcome ${asset.outcome}`));
      if (what) {
        td.append(make('span', what, 'change quiet'));
      }
      return td;
    } },
    { head: 'triangles', key: (asset) => asset.triangles, make: (asset) => cell(asset.triangles === undefined ? '–' : count(asset.triangles), change(asset.triangles, before(asset).triangles)) },
    { head: 'bytes', key: (asset) => asset.bytes, make: (asset) => cell(asset.bytes === undefined ? '–' : count(asset.bytes), change(asset.bytes, before(asset).bytes, true)) },
    { head: 'a triangle', key: eachOf, make: (asset) => cell(number(eachOf(asset), 2)) },
    { head: 'seconds', key: (asset) => asset.seconds, make: (asset) => {
      const td = cell(number(asset.seconds, 2), asset.outcome === 'baked' ? null : asset.seconds === null ? null : make('span', 'at the last bake', 'change quiet'));
      return td;
    } },
    { head: 'warnings', key: notesOf, make: (asset, index) => {
      const n = notesOf(asset) + (asset.error ? 1 : 0), td = make('td');
      if (n > 0) {
        const link = make('a', count(n));
        link.href = `#notes-${index}`;
        link.setAttribute('aria-label', `${n} warnings and failures of ${asset.output}`);
        td.append(link);
      } else {
        td.textContent = asset.warnings > 0 ? count(asset.warnings) : '0';
      }
      return td;
    } },
    { head: 'left out', key: leftOf, make: (asset) => {
      const n = leftOf(asset);
      return cell(n === undefined ? '–' : count(n), n > 0 ? change(asset.faces_dropped, before(asset).faces_dropped, true) : null);
    } },
    { head: 'cost', key: costOf, make: (asset) => {
      const td = cell(number(costOf(asset), 2), change(costOf(asset), costOf(before(asset)), true));
      td.title = Object.entries(asset.costs || {}).map(([kind, cost]) => `${kind} ${number(cost, 2)}`).join(', ');
      return td;
    } },
  ];

  const assets = page.assets.map((asset, index) => ({ asset, index,
    text: [asset.input, asset.output, OUTCOMES[asset.outcome], asset.error, ...(asset.notes || [])].join('\n').toLowerCase() }));
  let sorted = -1, down = false;

  function compare(a, b) {
    const key = columns[sorted].key, x = key(a.asset), y = key(b.asset);
    const none = (v) => v === undefined || v === null;
    if (none(x) || none(y)) {
      return none(x) - none(y) || a.index - b.index; /* what is not known comes last, either way */
    }
    const order = typeof x === 'string' ? (x < y ? -1 : x > y ? 1 : 0) : x - y;
    return (down ? -order : order) || a.index - b.index;
  }

  function show() {
    const words = get('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = assets.filter(({ asset, text }) => words.every((word) => text.includes(word)) &&
      (!get('only-changed').checked || changeOf(asset) !== null) &&
      (!get('only-warned').checked || notesOf(asset) > 0 || asset.status !== 0));
    if (sorted >= 0) {
      chosen.sort(compare);
    }
    const rows = document.createDocumentFragment();
    for (const { asset, index } of chosen.slice(0, ROWS_MOST)) {
      const row = make('tr');
      row.append(...columns.map((column) => column.make(asset, index)));
      rows.append(row);
    }
    get('assets').tBodies[0].replaceChildren(rows);
    get('shown').textContent = `${count(chosen.length)} of ${count(assets.length)}` +
      (chosen.length > ROWS_MOST ? `; the first ${count(ROWS_MOST)} are shown` : '');
    [...get('heads').cells].forEach((head, i) => {
      if (i === sorted) {
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      } else {
        head.removeAttribute('aria-sort');
      }
    });
  }

  function heads() {
    columns.forEach((column, i) => {
      const head = make('th');
      head.scope = 'col';
      if (column.key) {
        const button = make('button', column.head);
        button.type = 'button';
        button.addEventListener('click', () => {
          down = sorted === i ? !down : typeof column.key(assets[0]?.asset ?? {}) === 'number';
          sorted = i;
          show();
        });
        head.append(button);
      } else {
        head.textContent = column.head;
      }
      get('heads').append(head);
    });
  }

  function notes() {
    for (const { asset, index } of assets) {
      if (notesOf(asset) === 0 && !asset.error) {
        continue;
      }
      const article = make('article'), list = make('ul');
      article.id = `notes-${index}`;
      article.append(make('h3', asset.input === '-' ? asset.output : asset.input));
      if (asset.error) {
        list.append(make('li', asset.error, 'error'));
      }
      for (const note of asset.notes || []) {
        list.append(make('li', note));
      }
      article.append(list);
      get('notes').append(article);
    }
    get('notes-section').hidden = get('notes').children.length === 0;
  }

  function summary() {
    const of = (outcome) => assets.filter(({ asset }) => asset.outcome === outcome).length;
    const parts = Object.keys(OUTCOMES).filter((name) => of(name) > 0).map((name) => `${count(of(name))} ${OUTCOMES[name]}`);
    const sum = (name) => assets.reduce((total, { asset }) => total + (asset[name] || 0), 0);
    get('summary').textContent = `${parts.join(', ') || 'Nothing'}: ${count(sum('triangles'))} triangles, ${count(sum('bytes'))} bytes` +
      (page.seconds === null ? '' : `, in ${number(page.seconds, 2)} s`);
    const kinds = {};
    for (const { asset } of assets) {
      const what = changeOf(asset);
      if (what) {
        kinds[what] = (kinds[what] || 0) + 1;
      }
    }
    const list = Object.entries(kinds).map(([what, n]) => `${count(n)} ${what}`);
    if (page.gone.length > 0) {
      list.push(`${count(page.gone.length)} no longer there`);
    }
    get('changes').textContent = page.compared ? `Since the page before: ${list.join(', ') || 'no change'}.` : 'There was no page before to compare with.';
    for (const name of page.gone) {
      get('gone').append(make('li', name));
    }
    get('gone-section').hidden = page.gone.length === 0;
    get('made').textContent = `Made by kiln ${page.kiln}. Cost: expected tests of a query by surfaces, of the cheapest kind of tree. Everything is in this page; it loads nothing.`;
    document.title = `kiln bake: ${parts.join(', ')}`;
  }

  heads();
  notes();
  summary();
  for (const id of ['filter', 'only-changed', 'only-warned']) {
    get(id).addEventListener('input', show);
  }
  show();
  document.body.setAttribute('data-ready', '1');
})();
