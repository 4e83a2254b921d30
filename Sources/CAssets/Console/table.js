// A table: its rows can be searched, sorted, and are shown in windows.

import { flash, h, reconcile, setText } from './dom.js';
import { moment, number, plural, shortened } from './format.js';

const windowRows = 50, columnsLimit = 14, sampledRows = 200, textLimit = 80;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

const isPlain = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Returns the members of a row; those of an inner object have its name before theirs. */
function flat(row) {
  if (!isPlain(row)) return { value: row };
  const cells = {};
  for (const [name, value] of Object.entries(row)) {
    const inner = isPlain(value) ? Object.entries(value) : [];
    if (inner.length && inner.length <= 12) for (const [member, one] of inner) cells[`${name}.${member}`] = one;
    else cells[name] = value;
  }
  return cells;
}

/** Returns the rows of a value: the elements of an array, or the members of an object of objects; null if it is no table. */
export function rowsOf(value) {
  if (Array.isArray(value)) return value;
  if (!isPlain(value)) return null;
  const members = Object.entries(value);
  if (!members.length || !members.every(([, row]) => isPlain(row))) return null;
  return members.map(([key, row]) => ({ key, ...row }));
}

/** Returns the columns of rows without columns of their own. */
export function columnsOf(rows) {
  const columns = new Map();
  for (const row of rows.slice(0, sampledRows)) {
    for (const [name, value] of Object.entries(flat(row))) {
      const column = columns.get(name) ?? { name, title: name, value: (one) => flat(one)[name], isId: /(^|\.|_)id$|Id$/.test(name) };
      // Nulls alone make no column of numbers.
      if (value !== null) column.isNumber = typeof value === 'number' && column.isNumber !== false;
      if (columns.size < columnsLimit || columns.has(name)) columns.set(name, column);
    }
  }
  return [...columns.values()];
}

/** Draws a value in a cell. */
function cell(value, { isId = false } = {}) {
  if (value === undefined) return '';
  if (value === null) return h('span.quiet', { title: 'null' }, '–');
  if (typeof value === 'number') return isId ? String(value) : number(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value === 'string') {
    if (instant.test(value)) return h('time', { datetime: value, title: value }, moment(value));
    return value.length > textLimit ? h('span', { title: value }, shortened(value, textLimit)) : value;
  }
  const text = JSON.stringify(value);
  return h('code', { title: text }, shortened(text, textLimit));
}

let collator = null;

/** Compares two values; missing ones come last. */
function compare(one, other) {
  const isMissing = (value) => value === undefined || value === null;
  if (isMissing(one) || isMissing(other)) return isMissing(one) - isMissing(other);
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const text = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
  collator ??= new Intl.Collator(undefined, { numeric: true });
  return collator.compare(text(one), text(other));
}

/** Numbers are at the right, so that their digits align; those that are names are not. */
const isNumber = (column) => !!column.isNumber && !column.isId;
const keyOfRow = (row, place) => (isPlain(row) ? row.key ?? row.id ?? place : place);
let made = 0;

/**
 * Makes a table. `columns` have `name`, `title`, `value(row)`, and can have `draw(row)`, `isNumber`, `isFixed` (not sorted) and
 * `isPinned` (always in sight at the right);
 * without them the members of the rows are the columns, and the column `last` follows them if it is given. `keyOf` returns the key of a row; a row that changes under its key is highlighted.
 * `onQuery` is called before rows are searched or sorted, which needs all of them.
 */
export function dataTable(label, { columns: own, keyOf = keyOfRow, empty = 'There are no rows.', hasSearch = true, last, onQuery } = {}) {
  const id = `table-${(made += 1)}`;
  let rows = [], columns = own ?? [], sort = { name: '', isDown: false }, first = 0, more = '';
  /** The text of each row by its key, to see what changed. */
  let texts = new Map();
  const words = h('input', { id: `${id}-words`, type: 'search', placeholder: 'any text…', autocomplete: 'off', spellcheck: 'false', oninput: () => { onQuery?.(); first = 0; draw(); } });
  const head = h('tr'), body = h('tbody');
  const table = h('table.data', {}, h('caption.hidden', {}, label), h('thead', {}, head), body);
  const scroller = h('div.table-scroll', { tabindex: '0', role: 'region', 'aria-label': label }, table);
  const count = h('p.quiet', { role: 'status' });
  const earlier = h('button.quiet', { type: 'button', onclick: () => move(-windowRows) }, 'Previous');
  const later = h('button.quiet', { type: 'button', onclick: () => move(windowRows) }, 'Next');
  const none = h('p.empty', {}, empty);
  const search = h('div.row', {}, h('label', { for: words.id }, 'Search'), words);
  search.hidden = !hasSearch;
  const pager = h('div.row.pager', {}, count, earlier, later);

  function move(by) {
    first = Math.max(0, first + by);
    draw();
    scroller.scrollTop = 0;
  }

  function drawHead() {
    reconcile(head, columns, ({ name }) => name, ({ name, title, isFixed }) => h('th', { scope: 'col' }, isFixed ? h('span.hidden', {}, title) :
      h('button', { type: 'button', onclick: () => {
        onQuery?.();
        sort = sort.name !== name ? { name, isDown: false } : sort.isDown ? { name: '', isDown: false } : { name, isDown: true };
        first = 0;
        draw();
      } }, title)),
    (element, column) => {
      const { name } = column;
      element.classList.toggle('number', isNumber(column));
      element.classList.toggle('change', !!column.isPinned);
      if (sort.name === name) element.setAttribute('aria-sort', sort.isDown ? 'descending' : 'ascending');
      else element.removeAttribute('aria-sort');
    });
  }

  function found() {
    const wanted = words.value.trim().toLowerCase();
    let list = rows.map((row, place) => ({ row, key: String(keyOf(row, place)) }));
    if (wanted) list = list.filter(({ row }) => JSON.stringify(row).toLowerCase().includes(wanted));
    const column = columns.find(({ name }) => name === sort.name);
    if (column) {
      list.sort((one, other) => compare(column.value(one.row), column.value(other.row)));
      if (sort.isDown) list.reverse();
    }
    return list;
  }

  function draw() {
    if (!own) columns = [...columnsOf(rows), ...(last && rows.length ? [last] : [])];
    drawHead();
    const list = found();
    if (first >= list.length) first = Math.max(0, Math.floor((list.length - 1) / windowRows) * windowRows);
    const shown = list.slice(first, first + windowRows);
    const before = texts;
    texts = new Map();
    reconcile(body, shown, ({ key }) => key, () => h('tr'), (line, { row, key }) => {
      const text = JSON.stringify(row);
      texts.set(key, text);
      if (line.told === text && line.columnCount === columns.length && !own) return;
      Object.assign(line, { told: text, columnCount: columns.length });
      line.replaceChildren(...columns.map((column, place) => h(`${place ? 'td' : 'th'}${isNumber(column) ? '.number' : ''}${column.isPinned ? '.change' : ''}`, place ? {} : { scope: 'row' },
        column.draw ? column.draw(row) : cell(column.value(row), column))));
      if (before.has(key) && before.get(key) !== text) flash(line);
    });
    none.hidden = rows.length > 0;
    scroller.hidden = rows.length === 0;
    pager.hidden = rows.length === 0;
    search.hidden = !hasSearch || rows.length === 0;
    earlier.hidden = later.hidden = list.length <= windowRows;
    earlier.disabled = first === 0;
    later.disabled = first + windowRows >= list.length;
    const range = list.length > windowRows ? `${number(first + 1)} to ${number(first + shown.length)} of ` : '';
    setText(count, `${range}${list.length === rows.length ? plural(rows.length, 'row') : `${number(list.length)} of ${plural(rows.length, 'row')}`}${more}.`);
  }

  return {
    element: h('div.stack', {}, search, none, scroller, pager),
    search,
    pager,
    /** Shows rows; `note` follows their number. */
    set(list, note = '') {
      rows = list;
      more = note;
      draw();
    },
    get rows() { return rows; },
  };
}
