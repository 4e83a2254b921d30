// Lists as tables: the views of the space that have rows.

import { h, press, setText } from './dom.js';
import { curlLine } from './curl.js';
import { editableViews, editRow, exportRows, importRows, mayEdit, removeRow } from './edit.js';
import { brief, number, plural } from './format.js';
import { featuresHere, space } from './space.js';
import { dataTable, rowsOf } from './table.js';
import { curlBox } from './tape.js';
import { ask, get, token } from './wire.js';

const windowLimit = 1_000, rowsLimit = 200_000, longestPause = 30_000;

export function draw(page, { index, signal, rest }) {
  const views = featuresHere(index).flatMap((feature) => feature.views.filter(({ parameters }) => !parameters?.required?.length)
    .map((one) => ({ ...one, feature: feature.name })));
  const byName = new Map(views.map((one) => [one.view, one]));
  const isTable = ({ view, isList }) => isList || Array.isArray(space.views[view]) || !!rowsOf(space.views[view]);
  let chosen = null, table = null, turn = 0, loading = null, isLate = false;
  /** The rows of a maintained list so far, the place where they go on, and the milliseconds that all of them took. */
  let windows = null;
  const list = h('ul.definitions', { 'aria-label': 'Views with rows' });
  const title = h('h2', { id: 'table-title' }, '');
  const problem = h('p.problem', { role: 'alert' });
  const more = h('button', { type: 'button', onclick: () => loadMore() }, 'More rows');
  const all = h('button', { type: 'button', onclick: () => loadAll() }, 'All rows');
  const place = h('div.stack');
  /** The tables whose rows an administrator can edit, by view. */
  let tables = new Map();
  const told = h('p.quiet', { role: 'status' });
  const add = h('button', { type: 'button', onclick: () => editRow(tables.get(chosen)) }, 'Add a row…');
  const bring = h('button', { type: 'button', onclick: () => importRows(tables.get(chosen)) }, 'Import…');
  const save = h('button', { type: 'button', onclick: () => exportRows(chosen, (text) => setText(told, text)).catch((error) => setText(problem, error.message)) }, 'Export');
  const tools = h('div.row', { hidden: true }, add, bring, save, told);
  const change = { name: ' change', title: 'Change', isFixed: true, isPinned: true, value: () => '', draw: (row) => h('span.row', {},
    h('button.quiet', { type: 'button', 'aria-label': `Edit the row ${row.key}`, onclick: () => editRow(tables.get(chosen), row) }, 'Edit'),
    h('button.quiet', { type: 'button', 'aria-label': `Remove the row ${row.key}`, onclick: () => removeRow(tables.get(chosen), row) }, 'Remove')) };
  const line = curlBox('');
  const none = h('p.empty', {}, 'No view of this space is a list.');
  const bench = h('div.workbench', {},
    h('section.stack', { 'aria-label': 'Views' }, list),
    h('section.card.stack', { 'aria-labelledby': 'table-title' }, title, problem, tools, place, h('div.row', {}, more, all), line));
  page.append(
    h('h1', {}, 'Tables'),
    h('p.lead', {}, 'The lists of ', h('b', {}, space.name), ', live. Sort by a column, or search in all of them.'), none, bench);

  const path = (view) => space.path(view.replace('.', '/'));

  function drawList() {
    const found = views.filter(isTable);
    none.hidden = found.length > 0 || !space.hasViews;
    bench.hidden = !found.length;
    if (list.childElementCount !== found.length || [...list.children].some((one, at) => one.dataset.key !== found[at].view)) {
      list.replaceChildren(...found.map(({ view }) => h('li', { data: { key: view } },
        h('button', { type: 'button', onclick: () => choose(view, true) }, h('span.name', {}, view), h('code')))));
    }
    for (const one of list.children) setText(one.querySelector('code'), brief(space.views[one.dataset.key]));
    press(list, chosen);
    if (!chosen && found.length) choose((byName.has(rest[0]) && rest[0]) || found[0].view, false);
  }

  function choose(view, isClicked) {
    chosen = view;
    windows = null;
    isLate = false;
    const isEditable = tables.has(view) && space.at === null;
    tools.hidden = !isEditable;
    setText(told, '');
    table = dataTable(`Rows of ${view}`, { empty: 'The list is empty.', last: isEditable ? change : undefined, onQuery: () => { if (windows?.next) loadAll(); } });
    place.replaceChildren(table.element);
    setText(title, view);
    setText(problem, '');
    if (isClicked) history.replaceState(null, '', `#/${encodeURIComponent(space.name)}/tables/${view}`);
    press(list, chosen);
    show();
  }

  /** Shows the rows of the view: those of the stream, or windows of a maintained list. */
  async function show() {
    const { isList } = byName.get(chosen);
    const at = space.at === null ? '' : `at=${space.at}`;
    line.set(curlLine('GET', path(chosen) + (isList ? `?limit=${windowLimit}&total=1${at && `&${at}`}` : at && `?${at}`), { hasToken: !!token.value }));
    more.hidden = all.hidden = true;
    if (!isList || at) return table.set(rowsOf(space.views[chosen]) ?? []);
    if (windows?.took !== undefined || loading === chosen) {
      isLate = loading === chosen;
      await loadAll();
    } else await load(Math.max(1, Math.ceil((windows?.rows.length ?? 0) / windowLimit)), { rows: [], next: null });
  }

  const loadMore = () => load(1, windows);

  /** Loads the next windows of a list. */
  async function load(count, known) {
    const mine = (turn += 1), view = chosen;
    try {
      for (let step = 0; step < count; step += 1) {
        const { items, next, total } = await get(
          `${path(view)}?limit=${windowLimit}&total=1${known.next ? `&after=${encodeURIComponent(known.next)}` : ''}`, { isQuiet: true, signal });
        if (turn !== mine) return;
        known = { rows: [...known.rows, ...items], next, total };
        if (!next || known.rows.length >= rowsLimit) break;
      }
      take(known);
    } catch (error) {
      if (!signal.aborted) setText(problem, error.message);
    }
  }

  /** Loads all rows at once, as lines; again after a change, with pauses that follow from how long it takes. */
  async function loadAll() {
    if (loading === chosen) return;
    const mine = (turn += 1), view = chosen, began = performance.now();
    loading = view;
    try {
      const { value } = await ask('GET', path(view), { isText: true, headers: { Accept: 'application/x-ndjson' }, isQuiet: true, signal });
      if (turn !== mine) return;
      const rows = value.split('\n').filter((line) => line).map((line) => JSON.parse(line));
      take({ rows: rows.slice(0, rowsLimit), next: null, total: rows.length, took: performance.now() - began });
      await new Promise((resume) => setTimeout(resume, Math.min(longestPause, 4 * windows.took)));
    } catch (error) {
      if (!signal.aborted) setText(problem, error.message);
    } finally {
      if (loading === view) loading = null;
      if (isLate && chosen === view && !signal.aborted) {
        isLate = false;
        loadAll();
      }
    }
  }

  function take(known) {
    windows = known;
    setText(problem, '');
    table.set(known.rows, known.total > known.rows.length ? ` of ${number(known.total)}` : '');
    more.hidden = all.hidden = !known.next || known.rows.length >= rowsLimit;
    setText(all, known.total > rowsLimit ? `The first ${plural(rowsLimit, 'row')}` : 'All rows');
  }

  mayEdit(signal).then(async (may) => {
    if (!may) return;
    tables = await editableViews(featuresHere(index), signal);
    if (chosen && tables.has(chosen) && !signal.aborted) choose(chosen, false);
  });

  let isDue = false;
  space.watch([''], signal, (changed, isFirst) => {
    drawList();
    if (!chosen || (!isFirst && changed.length && !changed.includes(chosen)) || isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      if (!signal.aborted) show();
    });
  });
}
