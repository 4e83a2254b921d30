// An editor of JSON that marks faults: a text area over a drawing of the same text.

import { h } from './dom.js';
import { readJSON } from './pointer.js';

export function jsonEditor(label, { rows = 16, onInput } = {}) {
  const under = h('pre.under', { 'aria-hidden': 'true' });
  const gutter = h('pre.gutter', { 'aria-hidden': 'true' });
  const list = h('ul.faults');
  const alert = h('div', { id: `${label.replaceAll(/\W+/g, '-')}-faults`, role: 'alert' }, list);
  const area = h('textarea', {
    'aria-label': label, rows, spellcheck: 'false', autocomplete: 'off', wrap: 'off', 'aria-describedby': alert.id,
    oninput: () => { mark([]); onInput?.(); }, onscroll: () => scroll(),
    onkeydown: (event) => {
      // Escape, then Tab, leaves the editor; Tab alone indents, but only within a line.
      if (event.key !== 'Enter' || event.shiftKey) return;
      const line = area.value.slice(area.value.lastIndexOf('\n', area.selectionStart - 1) + 1, area.selectionStart);
      const indent = /^\s*/.exec(line)[0] + (/[[{]\s*$/.test(line) ? '  ' : '');
      if (!indent) return;
      event.preventDefault();
      area.setRangeText(`\n${indent}`, area.selectionStart, area.selectionEnd, 'end');
      area.dispatchEvent(new Event('input'));
    },
  });
  const scroll = () => {
    under.scrollTop = gutter.scrollTop = area.scrollTop;
    under.scrollLeft = area.scrollLeft;
  };
  let faults = [];
  const lineOf = (offset) => area.value.slice(0, offset).split('\n').length;
  function draw() {
    const text = area.value;
    const pieces = [];
    let from = 0;
    for (const { start, end } of [...faults].sort((one, other) => one.start - other.start)) {
      if (start < from) continue;
      pieces.push(text.slice(from, start), h('mark', {}, text.slice(start, Math.max(end, start + 1)) || ' '));
      from = Math.max(end, start + 1);
    }
    pieces.push(text.slice(from), '\n');
    under.replaceChildren(...pieces);
    const bad = new Set(faults.map(({ start }) => lineOf(start)));
    gutter.replaceChildren(...text.split('\n').flatMap((_, line) => [
      bad.has(line + 1) ? h('b', {}, String(line + 1)) : String(line + 1), '\n']));
    scroll();
  }
  function mark(told) {
    faults = [...told].sort((one, other) => one.start - other.start);
    area.toggleAttribute('aria-invalid', false);
    if (faults.length) area.setAttribute('aria-invalid', 'true');
    list.replaceChildren(...faults.map(({ start, end, text }) => h('li', {},
      h('button.quiet', { type: 'button', onclick: () => { area.focus(); area.setSelectionRange(start, end); } }, `Line ${lineOf(start)}`), ' ', text)));
    draw();
  }
  return {
    element: h('div.editor', {}, h('div.paper', {}, gutter, h('div.sheet', {}, under, area)), alert),
    area,
    get text() { return area.value; },
    set text(text) { area.value = text; mark([]); },
    /** Returns the parsed text, or nothing and marks the fault. */
    read() {
      const read = readJSON(area.value);
      if (!read.fault) return read;
      mark([{ start: read.fault.offset, end: read.fault.offset + 1, text: `${read.fault.message}.` }]);
      return null;
    },
    /** Marks the fault of a problem; `prefix` is the pointer of this text in the request. */
    markProblem(problem, read, prefix = '') {
      const told = [problem, ...(problem.others ?? [])];
      mark(told.map(({ pointer = '', detail, allowed }) => {
        // A fault of a formula says at which character of its text it is.
        const [, character] = / \(at character (\d+)\)/.exec(detail) ?? [];
        const [start, end] = read.range(pointer.startsWith(prefix) ? pointer.slice(prefix.length) : pointer, Number(character ?? 0));
        const choices = allowed?.length ? ` Allowed: ${allowed.slice(0, 40).join(', ')}.` : '';
        return { start, end, text: `${detail.replace(/ \(at character \d+\)/, '')}.${choices}`.replace(/([.?!])\./, '$1') };
      }));
    },
    mark,
  };
}
