// The graph of the space: variables, operators and views, and the path of the last commit.

import { h, s, setText, prefersStillness } from './dom.js';
import { curlLine } from './curl.js';
import { brief, shortened, since } from './format.js';
import { inspect } from './inspector.js';
import { contract, place, reach } from './layers.js';
import { commits, featuresHere, space } from './space.js';
import { curlBox } from './tape.js';
import { get, token } from './wire.js';

const rowHeight = 40, nodeHeight = 28, gap = 44, margin = 12, letter = 7.1, labelLimit = 25, least = 0.7;
/** The greatest time between related events of two streams, in milliseconds. */
const together = 300;

const wholeLabel = (node) => (node.kind === 'operator' ? node.steps.join(' → ') : node.name);

/** Returns the text of a node: the first operators of a long chain, and the number of others. */
function labelOf(node) {
  const whole = wholeLabel(node);
  if (node.kind !== 'operator' || whole.length <= labelLimit) return whole;
  const steps = [...node.steps];
  while (steps.length > 1 && steps.join(' → ').length > labelLimit - 3) steps.pop();
  return `${steps.join(' → ')} +${node.steps.length - steps.length}`;
}
const widthOf = (node) => Math.max(64, labelOf(node).length * letter + 24);

class Drawing {
  constructor(graph, choose) {
    this.whole = contract(graph);
    this.choose = choose;
    this.svg = s('svg.graph-drawing', { role: 'group', 'aria-label': 'Graph of the space, from its variables to its views' });
    this.ways = new Map();
    this.boxes = new Map();
  }

  /** Draws one feature or all. */
  draw(feature) {
    let { nodes, edges } = this.whole;
    if (feature) {
      const ends = nodes.filter((node) => node.kind === 'view' && node.name.startsWith(`${feature}.`)).map(({ id }) => id);
      const kept = reach(ends, edges, { isBackwards: true });
      for (const node of nodes) if (node.kind === 'variable' && node.name.startsWith(`${feature}.`)) kept.add(node.id);
      nodes = nodes.filter(({ id }) => kept.has(id));
      edges = edges.filter(({ from, to }) => kept.has(from) && kept.has(to));
    }
    this.edges = edges;
    const placed = place({ nodes, edges });
    const isNode = ({ kind }) => kind !== 'bend';
    const widths = placed.columns.map((column) => Math.max(64, ...column.filter(isNode).map(widthOf)));
    const height = placed.tallest * rowHeight + margin * 2 + 20;
    const lefts = [];
    widths.reduce((left, width, column) => (lefts[column] = left) + width + gap, margin);
    const width = lefts.at(-1) + widths.at(-1) + margin;
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    // The drawing shrinks with the window while it stays legible.
    this.svg.style.width = `clamp(${Math.round(width * least)}px, 100%, ${width}px)`;
    this.ways.clear();
    this.boxes.clear();
    const middle = (height + 20) / 2;
    for (const node of placed.byId.values()) {
      const own = widthOf(node);
      node.x = node.kind === 'view' ? lefts[node.column] : node.kind === 'variable' ? lefts[0] + widths[0] - own : lefts[node.column] + (widths[node.column] - own) / 2;
      node.y = middle + node.row * rowHeight;
      node.width = own;
    }
    const heads = [['variables', lefts[0] + widths[0], 'end'], ['views', lefts.at(-1), 'start']].map(([text, x, anchor]) =>
      s('text.head', { x, y: 16, 'text-anchor': anchor }, text));
    const lines = placed.ways.map((edge) => {
      // At a bend the edge crosses the column straight.
      const stops = edge.points.flatMap((point) => (isNode(point) ? [[point.x, point.x + point.width, point.y]]
        : [[lefts[point.column], lefts[point.column] + widths[point.column], middle + point.row * rowHeight]]));
      let path = `M${stops[0][1]} ${stops[0][2]}`;
      for (let stop = 1; stop < stops.length; stop += 1) {
        const [, x1, y1] = stops[stop - 1], [x2, x3, y2] = stops[stop], half = (x1 + x2) / 2;
        path += `C${half} ${y1} ${half} ${y2} ${x2} ${y2}${stop < stops.length - 1 ? `H${x3}` : ''}`;
      }
      const way = s('path.way', { d: path });
      this.ways.set(`${edge.from} ${edge.to}`, way);
      return way;
    });
    const boxes = [...placed.byId.values()].map((node) => this.box(node));
    this.svg.replaceChildren(...heads, ...lines, ...boxes);
  }

  box(node) {
    const isView = node.kind === 'view';
    const act = () => this.choose(node);
    const box = s(`g.node.${node.kind}`, {
      transform: `translate(${node.x} ${node.y - nodeHeight / 2})`,
      ...(isView ? {
        role: 'button', tabindex: 0, 'aria-label': `view ${node.name}`, onclick: act,
        onkeydown: (event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); act(); } },
      } : {}),
    },
    s('rect', { width: node.width, height: nodeHeight, rx: node.kind === 'operator' ? nodeHeight / 2 : 5 }),
    s('text', { x: node.width / 2, y: nodeHeight / 2 + 4, 'text-anchor': 'middle' }, labelOf(node)),
    s('title', {}, `${node.kind} ${wholeLabel(node)}`));
    this.boxes.set(node.id, box);
    return box;
  }

  /** Highlights the path from changed variables to changed views, and marks other nodes that derive from the variables faintly. */
  light(variables, views) {
    const starts = variables.map((name) => `variable/${name}`), ends = views.map((name) => `view/${name}`);
    const below = reach(starts, this.edges);
    const above = reach(ends, this.edges, { isBackwards: true });
    const isLit = (id) => below.has(id) && above.has(id);
    for (const [id, box] of this.boxes) {
      box.classList.toggle('lit', isLit(id) || starts.includes(id));
      box.classList.toggle('asked', below.has(id) && !isLit(id) && !starts.includes(id));
    }
    for (const [key, way] of this.ways) {
      const [from, to] = key.split(' ');
      const lit = isLit(from) && isLit(to);
      way.classList.toggle('lit', lit);
      way.classList.toggle('asked', !lit && below.has(from) && below.has(to));
      if (lit && !prefersStillness()) this.run(way, this.depth(from));
    }
  }

  depth(id) {
    const into = this.edges.filter(({ to }) => to === id);
    return into.length ? 1 + Math.max(...into.map(({ from }) => this.depth(from))) : 0;
  }

  run(way, depth) {
    const length = way.getTotalLength();
    way.animate([{ strokeDasharray: `${length}`, strokeDashoffset: length }, { strokeDasharray: `${length}`, strokeDashoffset: 0 }],
      { duration: 320, delay: depth * 180, fill: 'backwards', easing: 'ease-out' });
  }
}

export async function draw(page, { index, signal, rest }) {
  commits.follow(signal);
  const told = h('p.told', { role: 'status' }, 'No commit yet. Perform an action to see its path.');
  const scroll = h('div.graph-scroll', { tabindex: '0', role: 'region', 'aria-label': 'Graph', 'aria-busy': 'true' });
  const values = h('ul.views.columns');
  const choice = h('select', { id: 'graph-feature' }, h('option', { value: '' }, 'all features'),
    featuresHere(index).filter((one) => one.views.length).map(({ name }) => h('option', { value: name }, name)));
  page.append(
    h('h1', {}, 'The graph'),
    h('p.lead', {}, 'How the views of ', h('b', {}, space.name), ' derive from its variables. The path of the last commit is highlighted. Select a view for the commits behind its value.'),
    h('div.row', {}, h('label', { for: 'graph-feature' }, 'Show'), choice), told, scroll,
    h('details.card', {}, h('summary', {}, 'As a list: each view with its variables'), values),
    curlBox(curlLine('GET', space.path('graph'), { hasToken: !!token.value })));

  let graph;
  try {
    graph = await get(space.path('graph'), { signal });
  } catch (error) {
    if (!signal.aborted) scroll.replaceChildren(h('p.problem', {}, error.message));
    return;
  }
  const drawing = new Drawing(graph, (node) => inspect(node.name, signal));
  const list = () => {
    const names = new Map(graph.nodes.map((node) => [node.id, node.name]));
    values.replaceChildren(...graph.nodes.filter((node) => node.kind === 'view' && node.name.startsWith(choice.value)).map((node) => {
      const sources = [...reach([node.id], graph.edges, { isBackwards: true })].filter((id) => id.startsWith('variable/')).map((id) => names.get(id));
      return h('li', {}, h('button', { type: 'button', onclick: () => inspect(node.name, signal) },
        h('span.name', {}, node.name), h('span.value', {}, sources.length ? `from ${sources.join(', ')}` : 'from no variable')));
    }));
  };
  const redraw = () => {
    drawing.draw(choice.value);
    list();
    relight();
  };
  choice.addEventListener('change', redraw);
  if (rest[0]) choice.value = rest[0];
  scroll.removeAttribute('aria-busy');
  scroll.replaceChildren(drawing.svg);

  // Scrolls to the highlighted nodes if none of them is visible.
  function bringIntoView() {
    const boxes = [...scroll.querySelectorAll('.node.lit')].map((box) => box.getBoundingClientRect());
    if (!boxes.length) return;
    const frame = scroll.getBoundingClientRect();
    const top = Math.min(...boxes.map((box) => box.top)), bottom = Math.max(...boxes.map((box) => box.bottom));
    if (top < frame.bottom && bottom > frame.top && (bottom <= frame.bottom || top >= frame.top)) return;
    scroll.scrollBy({ top: (top + bottom) / 2 - (frame.top + frame.bottom) / 2, behavior: prefersStillness() ? 'auto' : 'smooth' });
  }

  // A commit and its changed views arrive on two streams, in either order.
  let last = null;
  let commonVersion = null;
  const variables = new Set(graph.nodes.filter(({ kind }) => kind === 'variable').map(({ name }) => name));
  const viewsAround = (moment) => Object.keys(space.changedAt).filter((view) => Math.abs(space.changedAt[view] - moment) < together);
  const viewsBelow = (names) => [...reach(names.map((name) => `variable/${name}`), graph.edges)].filter((id) => id.startsWith('view/')).map((id) => id.slice(5));
  const plain = (views) => views.join(', ');
  /** Describes the changed views, as far as the page has seen them. */
  function outcome({ isOld, views, below }) {
    if (!isOld) return views.length ? `${plain(views)} changed` : 'no view changed';
    return below.length ? `the page was not open then, so it is unknown which of ${plain(below)} changed` : 'no view derives from that';
  }
  function relight() {
    if (!last) return;
    drawing.light(last.variables, last.views);
    bringIntoView();
    setText(told, `${last.title}, ${since(last.at)}: ${last.variables.map((name) => shortened(name, 40)).join(', ') || 'nothing'} changed; `
      + `${outcome(last)}.`);
  }
  function show(commit, where = '') {
    const names = Object.keys(commit.changed).filter((name) => variables.has(name));
    const below = viewsBelow(names);
    const around = new Set(commit.isOld ? [] : viewsAround(commit.seen));
    last = {
      title: `${commit.action} ${brief(commit.input, 80)} made version ${commit.version}${where}`, at: commit.at, variables: names,
      isOld: commit.isOld, below, views: below.filter((view) => around.has(view)),
    };
    relight();
  }
  let waiting = null;
  commits.addEventListener('commit', ({ detail: commit }) => {
    if (!commit) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => show(commit), commit.isOld ? 0 : 120);
  }, { signal });
  // A change without a commit of this space comes from common, so the page requests the commits of common.
  const asOf = async () => (await get('/v1/spaces/common', { isQuiet: true, signal })).version;
  asOf().then((version) => { commonVersion = version; }, () => {});
  space.addEventListener('views', ({ detail }) => {
    if (detail.isFirst || commonVersion === null) return;
    setTimeout(async () => {
      if (signal.aborted) return;
      const now = performance.now();
      const recent = commits.list.filter(({ seen }) => now - seen < together * 3).flatMap(({ changed }) => Object.keys(changed));
      const explained = new Set(viewsBelow(recent));
      if (detail.changed.every((view) => explained.has(view))) return;
      const news = await get(`/v1/spaces/common/changes?since=${commonVersion}`, { isQuiet: true, signal }).catch(() => []);
      const commit = news.at(-1);
      if (!commit) return;
      commonVersion = commit.version;
      commit.seen = space.changedAt[detail.changed[0]];
      show(commit, ' of common');
    }, together);
  }, { signal });
  redraw();
  if (commits.list[0]) show(commits.list[0]);
}
