// The user: a title bar that follows, in every window at once.

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
    h('p.lead', {}, 'A single source of truth: whoever looks sees the same title, and never one made of half a commit. Open this page in a second window to see both follow.'),
    h('div.split', {},
      h('section.window', { 'aria-label': 'A window whose title follows' }, bar,
        h('div.content', {},
          h('dl.pairs', {}, h('dt', {}, 'isLoggedIn'), isIn, h('dt', {}, 'name'), kept),
          h('p.quiet', {}, 'title is derived from both: the name when logged in, “Logged out” when not.'))),
      h('section.card.stack', {}, h('h3', {}, 'Who is there'), enter, h('div.row', {}, out),
        h('h3', {}, 'Another name'), h('p.quiet', {}, 'Saved while logged out, it is kept and shown at the next log-in.'), save, refused.element)));
  space.watch(['user.'], signal, (changed) => {
    const views = space.views;
    if (setText(title, views['user.title'] ?? '…') && changed.length) flash(bar);
    if (setText(kept, views['user.name'] ?? 'none') && changed.length) flash(kept);
    if (setText(isIn, String(views['user.isLoggedIn'])) && changed.length) flash(isIn);
    out.disabled = !views['user.isLoggedIn'];
    document.title = `${views['user.title']} · User · Headwater`;
  });
}
