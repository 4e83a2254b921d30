// The idea of Headwater, and the state of this server.

import { flash, h, prefersStillness, s, setText } from './dom.js';
import { spark } from './chart.js';
import { brief, bytes, duration, number, plural, since } from './format.js';
import { inspect } from './inspector.js';
import { refusal, watchMetrics } from './metrics.js';
import { commits, featuresHere, isOffered, space } from './space.js';

function tile(label, chart) {
  const value = h('dd.big', {}, '–'), note = h('dd.note');
  return { element: h('div.tile', {}, h('dt', {}, label), value, note, chart ? h('dd.chart', {}, chart.element) : null), value, note };
}

/** The idea as an animation: an action, its commit, the views that follow. */
function flow(index, signal) {
  const action = h('code.what'), commit = h('b.what'), views = h('span.what'), origin = h('span');
  const stage = (title, explanation, what) => h('li', {}, h('p.stage', {}, title), what, h('p', {}, explanation));
  const way = () => h('li.way', { 'aria-hidden': 'true' }, s('svg', { viewBox: '0 0 60 12' },
    s('path', { d: 'M2 6H52' }), s('path.head', { d: 'M50 2l7 4-7 4z' }), s('circle.drop', { r: 3.5, cx: 4, cy: 6 })));
  const ways = [way(), way()];
  const element = h('ol.flow', {},
    stage('An action goes in', origin, action), ways[0],
    stage('A commit is kept', 'All or nothing, on disk before the answer.', commit), ways[1],
    stage('Derived values come out', 'Each subscriber gets them once, and never half a commit.', views));
  const offers = featuresHere(index).find(({ actions }) => actions.length);
  const first = offers ? `${offers.name}/${offers.actions[0].name}` : 'feature/action';
  const draw = () => {
    const last = commits.list[0];
    setText(action, last ? last.action : `POST ${first}`);
    setText(origin, !last || isOffered(index, last.action) ? 'A client posts it over plain HTTP.' : 'An effect of the server performs it; clients cannot post it.');
    setText(commit, `version ${number(commits.version)}`);
  };
  let changed = [];
  space.watch([''], signal, (now) => {
    if (now.length) changed = now;
    setText(views, changed.length ? changed[0] + (changed.length > 1 ? ` and ${changed.length - 1} more` : '')
      : plural(Object.keys(space.views).length, 'view'));
  });
  commits.addEventListener('commit', ({ detail }) => {
    draw();
    if (!detail || Date.now() - new Date(detail.at) > 5000 || prefersStillness()) return;
    for (const [place, one] of ways.entries()) {
      one.querySelector('.drop').animate(
        [{ transform: 'translateX(0)', opacity: 1 }, { transform: 'translateX(50px)', opacity: 1 }, { transform: 'translateX(50px)', opacity: 0 }],
        { duration: 500, delay: place * 300, easing: 'ease-in-out' });
    }
  }, { signal });
  draw();
  return element;
}

function figures(signal) {
  const charts = { commits: spark('Commits per second'), streams: spark('Connected streams'), memory: spark('Memory') };
  const tiles = {
    version: tile('Version of this space'), commits: tile('Commits per second', charts.commits),
    streams: tile('Connected streams', charts.streams), memory: tile('Memory of the server', charts.memory), health: tile('Health'),
  };
  let before = null;
  watchMetrics(signal, ({ figures: now, seconds, health }) => {
    const isReady = health === 'ready';
    setText(tiles.health.value, isReady ? 'Ready' : health === 'away' ? 'Away' : 'Not ready');
    tiles.health.element.dataset.state = isReady ? 'good' : 'bad';
    if (!now) {
      setText(tiles.health.note, health === 'away' ? 'No answer.' : isReady ? refusal : health);
      before = null;
      return;
    }
    const total = now.headwater_commits_total ?? 0;
    const rate = before !== null && seconds ? Math.max(0, total - before) / seconds : 0;
    before = total;
    charts.commits.add(rate);
    charts.streams.add(now.headwater_streams_active);
    charts.memory.add(now.process_resident_memory_bytes);
    setText(tiles.commits.value, rate >= 10 || rate === 0 ? number(Math.round(rate)) : rate.toFixed(1));
    setText(tiles.commits.note, `${number(total)} since it started`);
    setText(tiles.streams.value, number(now.headwater_streams_active));
    setText(tiles.streams.note, plural(now.headwater_connections, 'connection'));
    setText(tiles.memory.value, bytes(now.process_resident_memory_bytes));
    setText(tiles.memory.note, `${plural(now.headwater_spaces_loaded, 'space')} loaded`);
    const began = now.process_start_time_seconds;
    setText(tiles.health.note, isReady ? (began ? `up for ${duration(Date.now() / 1000 - began)}` : 'Ready to read and write.') : health);
  });
  const drawVersion = () => {
    if (setText(tiles.version.value, number(commits.version)) && commits.version) flash(tiles.version.element);
    const last = commits.list[0];
    setText(tiles.version.note, last ? `${last.action}, ${since(last.at)}` : commits.version ? '' : 'no commit yet');
  };
  commits.addEventListener('commit', drawVersion, { signal });
  const clock = setInterval(drawVersion, 5000);
  signal.addEventListener('abort', () => clearInterval(clock));
  return h('dl.tiles', {}, Object.values(tiles).map((one) => one.element));
}

function card(feature, signal, values) {
  return h('section.card', { 'aria-labelledby': `feature-${feature.name}` },
    h('h3', { id: `feature-${feature.name}` }, feature.name,
      feature.home === 'common' ? h('span.tag', { title: 'One state for all spaces' }, 'common') : null,
      h('span.count', {}, plural(feature.actions.length, 'action'))),
    h('ul.views', {}, feature.views.map(({ name, view, parameters }) => {
      const value = h('span.value', {}, '…');
      if (parameters?.required?.length) setText(value, 'for parameters');
      else values.set(view, value);
      return h('li', {}, h('button', { type: 'button', onclick: () => inspect(view, signal) }, h('span.name', {}, name), value));
    })));
}

export function draw(page, { index, signal }) {
  commits.follow(signal);
  const values = new Map();
  page.append(
    h('h1', {}, 'Actions go in, commits are kept, derived values come out'),
    flow(index, signal), figures(signal),
    h('h2', {}, 'Views of ', h('b', {}, space.name)),
    h('p.quiet', {}, 'The current values, derived from the state. Select one for the whole value and the commits behind it.'),
    h('div.cards', {}, featuresHere(index).filter((feature) => feature.views.length).map((feature) => card(feature, signal, values))));
  space.watch([''], signal, (changed, isFirst) => {
    for (const [view, element] of values) {
      if (!isFirst && changed.length && !changed.includes(view)) continue;
      element.classList.toggle('is-text', typeof space.views[view] === 'string');
      // A view that a rule forbids is left out of the answer.
      if (setText(element, view in space.views ? brief(space.views[view]) : 'not visible') || changed.includes(view)) {
        if (changed.includes(view)) flash(element);
      }
    }
  });
}
