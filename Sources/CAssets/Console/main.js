// The frame of the console: the page, the space, and the connection to the server.

import { h, setText } from './dom.js';
import { hurryAll, presence, refusal, standing } from './live.js';
import { commits, featuresHere, space } from './space.js';
import { beginTape } from './tape.js';
import { get, Refusal, wire } from './wire.js';
import './token.js';

const restAfter = 60_000, lookPause = 300;

/** The pages; `isServer` marks those of all spaces, and `link` names the path that a page needs. Each needs its feature on the server, with the actions and views that it shows: a program can have a feature of the same name. */
const pages = [
  { name: 'overview', title: 'Overview', load: () => import('./overview.js') },
  { name: 'actions', title: 'Actions', load: () => import('./actions.js') },
  { name: 'graph', title: 'Graph', load: () => import('./graph.js') },
  { name: 'changes', title: 'Changes', load: () => import('./changes.js') },
  { name: 'tables', title: 'Tables', load: () => import('./tables.js') },
  { name: 'features', title: 'Features', link: 'features', load: () => import('./features.js') },
  { name: 'rules', title: 'Rules', load: () => import('./rules.js') },
  { name: 'user', title: 'User', feature: 'user', needs: ['logIn', 'save', 'title'], load: () => import('./user.js') },
  { name: 'shop', title: 'Shop', feature: 'cart', needs: ['add', 'orders', 'totalPrice'], load: () => import('./shop.js') },
  { name: 'luthier', title: 'Luthier', feature: 'luthier', needs: ['select', 'order', 'checkout'], load: () => import('./luthier.js') },
  { name: 'feed', title: 'Feed', feature: 'feed', needs: ['follow', 'events', 'repositories'], load: () => import('./feed.js') },
  { name: 'streams', title: 'Streams', feature: 'streams', load: () => import('./streams.js') },
  { name: 'spaces', title: 'Spaces', isServer: true, load: () => import('./spaces.js') },
  { name: 'subjects', title: 'Subjects', isServer: true, load: () => import('./subjects.js') },
  { name: 'audit', title: 'Audit log', isServer: true, load: () => import('./audit.js') },
  { name: 'health', title: 'Health', isServer: true, load: () => import('./health.js') },
];

/** The page of an unknown address. */
const missing = {
  name: 'missing', title: 'No such page',
  load: async () => ({
    draw(element) {
      element.append(
        h('h1', {}, 'No such page'),
        h('p.lead', {}, 'The console has no page at ', h('code', {}, location.hash), '.'),
        h('p', {}, h('a', { href: `#/${encodeURIComponent(place().name)}/overview` }, 'To the overview')));
    },
  }),
};

const main = document.getElementById('page');
const away = document.getElementById('away');
const spaceInput = document.getElementById('space');
let index = null;
let shown = null;
let leaving = new AbortController();
/** True once the server has answered with its index. */
let hasIndex = false;

// MARK: Where we are

/** Returns the space and the page of the address; the page is null if the address cannot be decoded. */
function place() {
  try {
    const [, name = 'main', page = 'overview', ...rest] = location.hash.split('/').map(decodeURIComponent);
    return { name: name || 'main', page, rest };
  } catch {
    return { name: space.name || 'main', page: null, rest: [] };
  }
}

const offered = () => pages.filter(({ link, feature, needs = [] }) => (!link || index.links[link]) && (!feature || featuresHere(index).some(({ name, actions, views }) =>
  name === feature && needs.every((need) => [...actions, ...views].some((one) => one.name === need)))));

function drawNavigation() {
  const { name, page } = place();
  const link = (one) => h('a', {
    href: `#/${encodeURIComponent(name)}/${one.name}`, 'aria-current': one.name === page ? 'page' : undefined,
  }, one.title);
  const list = offered();
  const group = (title, ones) => (ones.length ? [title ? h('h2', {}, title) : [], h('ul', {}, ones.map((one) => h('li', {}, link(one))))].flat() : []);
  document.getElementById('nav').replaceChildren(
    ...group('', list.filter(({ feature, isServer }) => !feature && !isServer)), ...group('Systems', list.filter(({ feature }) => feature)),
    ...group('Server', list.filter(({ isServer }) => isServer)));
  // On a phone the row of pages is wider than the screen. The measurement happens during a layout anyway.
  requestAnimationFrame(() => {
    const nav = document.getElementById('nav'), current = nav.querySelector('[aria-current]');
    if (current) nav.scrollLeft = current.offsetLeft - (nav.clientWidth - current.offsetWidth) / 2;
  });
  document.querySelector('.brand').href = `#/${encodeURIComponent(name)}/overview`;
}

async function show() {
  const { name, page: wanted, rest } = place();
  // The views are requested before the rest.
  if (space.name !== name || (!space.stream && space.at === null)) space.open(name);
  spaceInput.value = name;
  // The page is loaded too; the index decides later if it is offered.
  const expected = pages.find((one) => one.name === wanted) ?? missing;
  expected.load().catch(() => {});
  if (!index) return;
  drawNavigation();
  // Two unknown addresses differ in their text only.
  const key = expected === missing ? location.hash : `${name}/${wanted}`;
  if (shown === key) return;
  shown = key;
  leaving.abort();
  const { signal } = (leaving = new AbortController());
  const page = expected === missing || offered().includes(expected) ? expected : pages[0];
  try {
    const { draw } = await page.load();
    if (signal.aborted) return;
    document.title = `${page.title} · ${name} · Headwater`;
    const element = h('article', { class: page.name });
    // A page must be in the document before it draws, because a dialog opens nowhere else.
    main.replaceChildren(element);
    draw(element, { index, signal, rest });
    if (isMoved) {
      main.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isMoved = true;
  } catch (error) {
    shown = null;
    main.replaceChildren(h('p.empty', {}, `This page could not be shown: ${error.message}. `, h('button', { onclick: show }, 'Try again')));
  }
}

/** True after a navigation, which moves the keyboard focus too. */
let isMoved = false;

// MARK: What there is

async function learn() {
  try {
    const told = await get('/v1', { isQuiet: !!index });
    const isOther = !index || JSON.stringify(told) !== JSON.stringify(index);
    index = told;
    isRefused = false;
    // The stream has the views that the server had when it began.
    if (isOther && hasIndex) space.restart();
    hasIndex = true;
    // The page of features edits them, so it stays as it is.
    if (isOther && shown && place().page === 'features') wire.dispatchEvent(new CustomEvent('index', { detail: index }));
    else if (isOther) shown = null;
    tell();
    await show();
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return;
    isRefused = true;
    tell();
    setTimeout(learn, 1500);
  }
}

wire.addEventListener('admitted', learn);
wire.addEventListener('deployed', learn);
// A deployment is a commit in `common`, which can have others too.
let looking = null;
space.addEventListener('common', () => {
  looking ??= setTimeout(() => {
    looking = null;
    learn();
  }, lookPause);
});

// MARK: Whether it is there

let wasAway = false;
/** True if the server has not even answered with its index. */
let isRefused = false;

function tell() {
  const state = space.at !== null ? 'past' : index ? standing() : isRefused ? 'away' : 'connecting';
  document.body.dataset.standing = state;
  setText(document.getElementById('standing-text'), { open: 'Live', connecting: 'Connecting', away: 'Away', refused: 'Refused', past: `Version ${space.at}` }[state]);
  away.hidden = state !== 'away' && state !== 'refused';
  if (state === 'refused') setText(away, `The server refuses the request: ${refusal()}.`);
  if (state === 'away') setText(away, 'The server does not answer. The page shows the last values and reconnects by itself.');
  if (state === 'open' && wasAway) {
    wasAway = false;
    // The server may have returned in another version.
    learn();
  }
  if (state === 'away') wasAway = true;
}

presence.addEventListener('change', tell);
space.addEventListener('time', tell);
addEventListener('online', hurryAll);

// MARK: Looked at or not

let rest = null;

// A browser allows few connections to one server, so a hidden page closes its streams after a while.
document.addEventListener('visibilitychange', () => {
  clearTimeout(rest);
  if (document.hidden) {
    rest = setTimeout(() => {
      rest = 'resting';
      leaving.abort();
      space.close();
    }, restAfter);
  } else if (rest === 'resting') {
    rest = null;
    shown = null;
    show();
  } else {
    rest = null;
    hurryAll();
  }
});

// MARK: Spaces

document.getElementById('space-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const { page } = place();
  location.hash = `#/${encodeURIComponent(spaceInput.value.trim())}/${encodeURIComponent(page ?? 'overview')}`;
});
spaceInput.addEventListener('change', () => spaceInput.form.requestSubmit());
spaceInput.addEventListener('focus', async () => {
  try {
    const { spaces } = await get('/v1/spaces?limit=50', { isQuiet: true });
    document.getElementById('spaces').replaceChildren(...spaces.map(({ name }) => h('option', { value: name })));
  } catch {
    // A token without the right to list spaces needs the name typed.
  }
});

// MARK: The past

const timeButton = document.getElementById('time-button'), timePanel = document.getElementById('time');
timeButton.addEventListener('click', async () => {
  const { openTimeLine, closeTimeLine } = await import('./past.js');
  const isOpen = timePanel.hidden;
  timePanel.hidden = !isOpen;
  timeButton.setAttribute('aria-expanded', String(isOpen));
  if (isOpen) openTimeLine(timePanel);
  else closeTimeLine(timePanel);
});

// The address selects the page, so this link must not change it.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener('hashchange', () => {
  // The page draws the named part, such as a table. An address without one leaves the page as it is.
  if (place().rest.length) shown = null;
  show();
});
beginTape(document.getElementById('tape'));
// For tests: the data of the page.
globalThis.headwater = { space, commits };
show();
learn();
