// The feed: events of repositories, refreshed by one poller for all spaces.

import { h, reconcile, setText } from './dom.js';
import { plural, since } from './format.js';
import { actionPath, lineForm, perform, refusals } from './part.js';
import { space } from './space.js';
import { post } from './wire.js';

const words = (type) => type.replace(/Event$/, '').replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();

function row(event) {
  const login = event.actor?.login ?? event.actor ?? '?';
  return h('tr', {},
    h('td', {}, h('time', { datetime: event.createdAt, title: event.createdAt }, since(event.createdAt))),
    // Pictures are on another host, which this page never requests; a letter replaces the face.
    h('td.who', {}, h('span.face', { 'aria-hidden': 'true' }, String(login)[0].toUpperCase()), h('span', {}, String(login))),
    h('td', {}, h('span.kind', {}, words(event.type))),
    h('td', {}, h('code', {}, event.repository)));
}

export function draw(page, { signal }) {
  const refused = refusals();
  const chips = h('ul.chips', { 'aria-label': 'Followed repositories' });
  const body = h('tbody'), standing = h('p.quiet', { role: 'status' }), problem = h('p.problem', { role: 'alert' });
  const empty = h('p.empty', {});
  const refresh = h('button', { type: 'button', onclick: () => perform('feed/refresh', undefined, refused) }, 'Refresh');
  const table = h('div.table-scroll', { tabindex: '0', role: 'region', 'aria-label': 'Events' }, h('table.events', {},
    h('thead', {}, h('tr', {}, ['When', 'Who', 'What', 'Where'].map((title) => h('th', { scope: 'col' }, title)))), body));
  page.append(
    h('h1', {}, 'Feed'),
    h('p.lead', {}, 'The activity of repositories. The server polls each repository once for all spaces, with conditional requests.'),
    h('div.split', {},
      h('section.card.stack', {}, h('h2', {}, 'Follow a repository'),
        lineForm('Follow a repository', [{ name: 'repository', label: 'Repository', placeholder: 'owner/name' }], 'Follow', (values) => post(actionPath('feed/follow'), values))),
      h('section.card.stack', {}, h('h2', {}, 'Follow trending repositories'),
        lineForm('Follow trending repositories', [
          { name: 'language', label: 'Language', placeholder: 'swift' }, { name: 'count', label: 'How many', type: 'number', value: '5', isKept: true },
        ], 'Follow', (values) => post(actionPath('feed/followTrending'), values)))),
    chips, h('div.row', {}, refresh, standing), problem, refused.element, empty, table);
  const drawStanding = () => {
    const views = space.views, updated = views['feed.lastUpdated'];
    setText(standing, views['feed.isRefreshing'] ? 'Asking…' : updated ? `${plural(views['feed.events'].length, 'event')}, updated ${since(updated)}` : '');
  };
  const clock = setInterval(drawStanding, 10_000);
  signal.addEventListener('abort', () => clearInterval(clock));
  space.watch(['feed.'], signal, () => {
    const views = space.views;
    const events = views['feed.events'] ?? [], repositories = views['feed.repositories'] ?? [];
    reconcile(chips, repositories, (name) => name, (name) => h('li', {}, h('code', {}, name),
      h('button.quiet', { type: 'button', 'aria-label': `Stop following ${name}`, onclick: () => perform('feed/unfollow', { repository: name }, refused) }, '×')));
    reconcile(body, events, ({ id }) => id, row);
    table.hidden = events.length === 0;
    empty.hidden = events.length > 0;
    setText(empty, repositories.length ? 'No events yet.' : 'This space follows no repository. Follow one to see its newest events here.');
    refresh.disabled = !repositories.length || !!views['feed.isRefreshing'];
    setText(problem, views['feed.problem'] ?? '');
    drawStanding();
  });
}
