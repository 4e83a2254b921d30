// One view in detail: its value, its curl lines, and the commits behind the value.

import { flash, h, setText } from './dom.js';
import { curlLine } from './curl.js';
import { since } from './format.js';
import { space } from './space.js';
import { rowsOf } from './table.js';
import { curlBox } from './tape.js';
import { get, token } from './wire.js';

const origin = (one) => {
  if (!one.commit) {
    return h('li', {}, h('strong', {}, one.variable), h('span.quiet', {}, one.isAsItBegan
      ? ' is as it began: no action has changed it.'
      : ` was changed before version ${one.lookedBackTo}, which is as far back as was looked.`));
  }
  const { version, at, action, by, input } = one.commit;
  return h('li', {},
    h('strong', {}, one.variable), one.space === 'common' ? h('span.tag', {}, 'common') : null,
    h('div.cause', {},
      h('span', {}, 'version ', h('b', {}, String(version)), ', ', h('time', { datetime: at, title: at }, since(at)), ', by '),
      h('code', {}, action), by?.sub ? [' of ', h('span.tag', {}, by.sub)] : null, input === undefined ? null : h('code.input', {}, JSON.stringify(input))));
};

/** Opens the dialog until it is closed or the signal aborts. */
export function inspect(view, signal) {
  const path = space.path(view.replace('.', '/'));
  const value = h('pre.value', { tabindex: '0', 'aria-label': `Value of ${view}` });
  const why = h('ul.why', { 'aria-busy': 'true' }, h('li.quiet', {}, 'Looking back…'));
  const over = new AbortController();
  const hasToken = !!token.value;
  const dialog = h('dialog.inspector', {
    'aria-labelledby': 'inspector-title', onclose: () => { over.abort(); dialog.remove(); },
    onclick: (event) => { if (event.target === dialog) dialog.close(); },
  },
  h('header', {}, h('h2', { id: 'inspector-title' }, view),
    h('button.quiet', { type: 'button', onclick: () => dialog.close() }, 'Close')),
  h('section', {}, h('h3', {}, 'Value'), value,
    rowsOf(space.views[view]) ? h('p', {}, h('a', { href: `#/${encodeURIComponent(space.name)}/tables/${view}`, onclick: () => dialog.close() }, 'As a table')) : null),
  h('section', {}, h('h3', {}, 'Why'), why),
  h('section', {}, h('h3', {}, 'With curl'),
    h('p.quiet', {}, 'The current value, the stream of values, and the commits behind the value:'),
    curlBox(curlLine('GET', path, { hasToken })), curlBox(curlLine('GET', path, { events: true, hasToken })),
    curlBox(curlLine('GET', `${path}/why`, { hasToken }))));

  const explain = async () => {
    try {
      const told = await get(`${path}/why`, { signal: over.signal });
      why.replaceChildren(...(told.variables.length ? told.variables.map(origin)
        : [h('li.quiet', {}, 'The view derives from no variable, so its value never changes.')]));
    } catch (error) {
      if (!over.signal.aborted) why.replaceChildren(h('li.problem', {}, error.message));
    }
    why.removeAttribute('aria-busy');
  };
  const draw = () => setText(value, JSON.stringify(space.views[view], null, 2) ?? 'nothing');
  space.watch([view], over.signal, (changed) => {
    draw();
    if (!changed.includes(view)) return;
    flash(value);
    explain();
  });
  signal.addEventListener('abort', () => dialog.close(), { signal: over.signal });
  document.body.append(dialog);
  dialog.showModal();
  draw();
  explain();
  return dialog;
}
