// The user: a title bar that is equal in all windows.

import { flash, h, setText } from './dom.js';
import { lineForm, perform, refusals, actionPath } from './part.js';
import { space } from './space.js';
import { post } from './wire.js';

export function draw(page, { signal }) {
  const title = h('h2', { id: 'user-title', 'aria-live': 'polite' }, '…');
  const bar = h('div.bar', {}, h('span.lights', { 'aria-hidden': 'true' }, h('i'), h('i'), h('i')), title);
  const kept = h('dd'), isIn = h('dd');
  const refused = refusals();
  const out = h('button', { type: 'button', onclick: () => perform('user/logOut', undefined, refused) }, 'Log out');
  const enter = lineForm('Log in', [{ name: 'name', label: 'Name', placeholder: 'Ada Lovelace' }], 'Log in',
    (values) => post(actionPath('user/logIn'), values.name ? values : {}));
  const save = lineForm('Save a name', [{ name: 'name', label: 'New name', placeholder: 'Augusta Ada King' }], 'Save',
    (values) => post(actionPath('user/save'), values));
  page.append(
    h('h1', {}, 'User'),
    h('p.lead', {}, 'A single source of truth: all windows show the same title, and never half a commit. Open this page in a second window to see both change.'),
    h('div.split', {},
      h('section.window', { 'aria-label': 'A window with the derived title' }, bar,
        h('div.content', {},
          h('dl.pairs', {}, h('dt', {}, 'isLoggedIn'), isIn, h('dt', {}, 'name'), kept),
          h('p.quiet', {}, 'The title derives from both variables: the name while logged in, otherwise “Logged out”.'))),
      h('section.card.stack', {}, h('h3', {}, 'Log-in'), enter, h('div.row', {}, out),
        h('h3', {}, 'Another name'), h('p.quiet', {}, 'A name saved while logged out is shown after the next log-in.'), save, refused.element)));
  space.watch(['user.'], signal, (changed) => {
    const views = space.views;
    if (setText(title, views['user.title'] ?? '…') && changed.length) flash(bar);
    if (setText(kept, views['user.name'] ?? 'none') && changed.length) flash(kept);
    if (setText(isIn, String(views['user.isLoggedIn'])) && changed.length) flash(isIn);
    out.disabled = !views['user.isLoggedIn'];
    document.title = `${views['user.title']} · User · Headwater`;
  });
}
