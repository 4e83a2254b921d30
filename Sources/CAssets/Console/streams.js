// Streams as data: edited, tried in virtual time, run.

import { h, press, reconcile, s, setText } from './dom.js';
import { curlLine } from './curl.js';
import { jsonEditor } from './editor.js';
import { Live } from './live.js';
import { diagram, LiveLine } from './marbles.js';
import { space } from './space.js';
import { curlBox } from './tape.js';
import { ask, post, Refusal, token } from './wire.js';

const joins = ['merge', 'append', 'flatMap', 'zip', 'combineLatest'], rowsLimit = 12;

const pretty = (document) => JSON.stringify(document, null, 2)
  // A short value is written on one line.
  .replace(/\{\s*\n\s*([^{}[\]]*?)\s*\n\s*\}/g, (whole, inside) => {
    const line = `{ ${inside.replaceAll(/\s*\n\s*/g, ' ')} }`;
    return line.length < 90 ? line : whole;
  })
  .replace(/\{\s*\n\s*("\w+": \{[^{}]*\})\s*\n\s*\}/g, '{ $1 }')
  .replace(/\[\s*\n\s*(\{ "\w+": \{[^{}]*\} \})\s*\n\s*\]/g, '[$1]');

const draft = { id: 'mine', name: 'Mine', description: null, source: { ref: 'a' }, operators: [{ filter: { expression: 'value % 2 == 0' } }, { map: { expression: 'value * 10' } }] };

/** Returns the steps of a definition as definitions: its sources, their combination, and each operator. */
function steps(document, stored) {
  const { source, operators = [] } = document;
  const found = [];
  const named = (one) => (one.ref ? { title: one.ref, definition: stored.get(one.ref) } : { title: one.view ?? one.input ?? 'source', definition: { source: one } });
  const join = source && joins.find((name) => source[name]);
  if (source?.ref || source?.view) found.push(named(source));
  if (join) found.push(...source[join].map(named));
  // Without operators the combination is the result.
  if (join && operators.length) found.push({ title: join, definition: { source } });
  if (document.stream && operators.length) found.push({ title: 'items', definition: { stream: document.stream } });
  const base = source ? { source } : { stream: document.stream };
  for (let count = 1; count < operators.length; count += 1) {
    const [name] = Object.keys(operators[count - 1]);
    found.push({ title: `${name} ${Object.values(operators[count - 1][name] ?? {}).join(' ')}`, definition: { ...base, operators: operators.slice(0, count) } });
  }
  return found.filter(({ definition }) => definition).slice(0, rowsLimit);
}

/** Returns the views and inputs in a document, at any depth. */
function inputsOf(value, stored, found = new Set(), seen = new Set()) {
  if (Array.isArray(value)) for (const one of value) inputsOf(one, stored, found, seen);
  else if (value && typeof value === 'object') {
    for (const [name, inner] of Object.entries(value)) {
      if ((name === 'view' || name === 'input') && typeof inner === 'string') found.add(inner);
      else if (name === 'ref' && !seen.has(inner)) {
        seen.add(inner);
        inputsOf(stored.get(inner), stored, found, seen);
      } else inputsOf(inner, stored, found, seen);
    }
  }
  return found;
}

export function draw(page, { signal, rest }) {
  const stored = new Map();
  const path = (id = '') => space.path(`streams${id ? `/${encodeURIComponent(id)}` : ''}`);
  const list = h('ul.definitions', { 'aria-label': 'Definitions' });
  const note = h('p.note', { role: 'status' });
  const editor = jsonEditor('Definition', { rows: 15, onInput: () => { isEdited = true; drawButtons(); drawLine(); } });
  const inputs = jsonEditor('Inputs', { rows: 4 });
  const inputsBox = h('details', {}, h('summary', {}, 'Inputs: the values of views in the test'), inputs.element);
  const until = h('input', { id: 'until', type: 'number', min: '0', step: 'any', value: '3600' });
  const outcome = h('div.outcome-marbles', { tabindex: '0', role: 'region', 'aria-label': 'The delivered values' },
    h('p.quiet', {}, 'Try the stream in virtual time for an answer at once, or play it to see the values arrive.'));
  const line = curlBox('');
  let chosen = null, isEdited = false, playing = null;

  const save = h('button.primary', { type: 'button', onclick: () => store() }, 'Save');
  const remove = h('button', { type: 'button', onclick: () => forget() }, 'Delete');
  const test = h('button.primary', { type: 'button', onclick: () => tryIt() }, 'Try in virtual time');
  const play = h('button', { type: 'button', onclick: () => (playing ? stop() : run(false)) }, 'Play');
  const join = h('button', { type: 'button', onclick: () => run(true) }, 'Join the shared run');

  function drawButtons() {
    const isStored = stored.has(chosen) && !isEdited;
    setText(play, playing ? 'Stop' : 'Play');
    play.disabled = !playing && !isStored;
    join.disabled = !!playing || !isStored;
    remove.disabled = !stored.has(chosen);
    setText(note, stored.has(chosen) ? (isEdited ? 'Changed and not saved. You can try it as it is.' : '') : 'New and not saved. You can try it as it is.');
    press(list, chosen);
  }

  const drawLine = () => {
    const read = editorValue();
    line.set(curlLine('POST', space.path('streams:test'), { body: body(read ?? {}), hasToken: !!token.value }));
  };
  const editorValue = () => {
    try {
      return JSON.parse(editor.text);
    } catch {
      return null;
    }
  };
  const body = (definition, given) => {
    const made = { definition, until: Number(until.value) || 0 };
    if (given && Object.keys(given).length) made.inputs = given;
    return made;
  };

  function choose(id, document) {
    stop();
    chosen = id;
    isEdited = false;
    editor.text = pretty(document);
    const named = [...inputsOf(document, stored)];
    inputsBox.hidden = !named.length;
    inputs.text = pretty(Object.fromEntries(named.map((name) => [name, [{ at: 1, value: 10 }, { at: 2, value: 20 }, { at: 3, end: true }]])));
    drawButtons();
    drawLine();
  }

  async function store() {
    const read = editor.read();
    if (!read) return;
    const id = read.value?.id ?? chosen;
    try {
      await ask('PUT', path(id), { body: read.value });
      chosen = id;
      isEdited = false;
      editor.mark([]);
      stored.set(id, read.value);
      drawButtons();
      setText(note, 'Saved.');
    } catch (error) {
      refuse(error, read);
    }
  }

  async function forget() {
    try {
      await ask('DELETE', path(chosen));
      setText(note, 'Deleted.');
    } catch (error) {
      refuse(error, null);
    }
  }

  function refuse(error, read, prefix = '') {
    if (error instanceof Refusal && read) editor.markProblem(error.problem, read, prefix);
    else setText(note, error.message);
  }

  async function tryIt() {
    stop();
    const read = editor.read();
    const given = inputs.text.trim() ? inputs.read() : { value: {} };
    if (!read || !given) return;
    editor.mark([]);
    test.disabled = true;
    const asked = (definition) => post(space.path('streams:test'), body(definition, given.value), { signal });
    try {
      const began = performance.now();
      const answer = await asked(read.value);
      const took = performance.now() - began;
      const parts = await Promise.all(steps(read.value, stored).map(async ({ title, definition }) => {
        try {
          return { title, events: (await asked(definition)).events };
        } catch {
          // A part that cannot be tried alone is left out, because the user asked for the whole.
          return null;
        }
      }));
      const rows = [...parts.filter(Boolean), { title: read.value.name ?? read.value.id ?? 'result', events: answer.events, isResult: true }];
      const lasted = answer.events.at(-1)?.at ?? 0;
      // With letters for values the diagram is clearer.
      const drawn = answer.values ? null : answer.marble;
      outcome.replaceChildren(
        diagram(rows, Math.max(560, outcome.clientWidth - 34)),
        h('p.quiet', {}, `${lasted} s of its time took ${took.toFixed(0)} ms. `, drawn ? h('code', {}, drawn) : null,
          drawn && answer.step !== 1 ? `, a character for ${answer.step} s` : null));
    } catch (error) {
      if (!signal.aborted) refuse(error, read, '/definition');
    }
    test.disabled = false;
  }

  function run(isShared) {
    stop();
    const over = new AbortController();
    const live = new LiveLine(Math.max(420, outcome.clientWidth - 34), over.signal);
    const where = `${path(chosen)}/values${isShared ? '?shared=true' : ''}`;
    const source = new Live(() => where, {
      names: ['end', 'error'],
      probe: () => path(chosen),
      onEvent: (data, id, name) => {
        if (name === 'message') return live.add({ value: JSON.parse(data) });
        if (name === 'end') live.add({ end: true });
        else {
          live.add({ error: data });
          setText(said, JSON.parse(data).detail ?? data);
        }
        // The run has ended; reopening the stream would start a new run.
        source.close();
        playing = null;
        drawButtons();
      },
    });
    const said = h('p.problem', { role: 'alert' });
    playing = { source, over };
    outcome.replaceChildren(live.element, live.heard, said, curlBox(curlLine('GET', where, { events: true, hasToken: !!token.value })));
    drawButtons();
  }

  function stop() {
    playing?.source.close();
    playing?.over.abort();
    playing = null;
    drawButtons();
  }

  signal.addEventListener('abort', stop);
  until.addEventListener('input', drawLine);
  page.append(
    h('h1', {}, 'Streams'),
    h('p.lead', {}, 'A stream is data: you can store, edit, copy and run it without a change of code.'),
    h('div.workbench', {},
      h('section.stack', { 'aria-label': 'Definitions' }, list, h('button', { type: 'button', onclick: () => { choose('mine', draft); editor.area.focus(); } }, 'New')),
      h('section.card.stack', { 'aria-label': 'Editor' }, editor.element, inputsBox,
        h('div.row', {}, save, remove, note),
        h('div.row', {}, test, h('span.until', {}, h('label', { for: 'until' }, 'up to'), until, 's'), play, join), line)),
    h('section.card', { 'aria-label': 'Marbles' }, outcome));
  inputsBox.hidden = true;

  space.watch(['streams.definitions'], signal, () => {
    const documents = space.views['streams.definitions'] ?? [];
    stored.clear();
    for (const document of documents) stored.set(document.id, document);
    reconcile(list, documents, ({ id }) => id,
      ({ id }) => h('li', {}, h('button', { type: 'button', onclick: () => choose(id, stored.get(id)) }, h('span.name'), h('code', {}, id))),
      (element, { name, id }) => setText(element.querySelector('.name'), name ?? id));
    if (chosen === null && documents.length) {
      const first = stored.has(rest[0]) ? rest[0] : stored.has('combineLatest') ? 'combineLatest' : documents[0].id;
      choose(first, stored.get(first));
      tryIt();
    } else if (stored.has(chosen) && !isEdited && editor.text !== pretty(stored.get(chosen))) {
      // Another client has changed it.
      choose(chosen, stored.get(chosen));
    }
    drawButtons();
  });
  drawButtons();
}
