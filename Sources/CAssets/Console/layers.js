// Arranges the nodes of a graph in columns, so that values go from left to right and few edges cross.

const sweeps = 10, spreadLimit = 1.7;

/** Merges operators in a straight chain into one node. */
export function contract({ nodes, edges }) {
  const kind = new Map(nodes.map((node) => [node.id, node.kind]));
  const into = new Map(nodes.map(({ id }) => [id, []])), out = new Map(nodes.map(({ id }) => [id, []]));
  for (const { from, to } of edges) {
    out.get(from).push(to);
    into.get(to).push(from);
  }
  const isOperator = (id) => kind.get(id) === 'operator';
  const head = new Map();
  const steps = new Map();
  // A node comes after its sources, so the head of a chain is known before the rest.
  for (const { id, name } of nodes) {
    const [source] = into.get(id);
    const continues = isOperator(id) && into.get(id).length === 1 && isOperator(source) && out.get(source).length === 1;
    head.set(id, continues ? head.get(source) : id);
    if (continues) steps.get(head.get(id)).push(name);
    else steps.set(id, [name]);
  }
  const kept = nodes.filter(({ id }) => head.get(id) === id).map((node) => ({ ...node, steps: steps.get(node.id) }));
  const seen = new Set();
  const ways = [];
  for (const { from, to } of edges) {
    const way = { from: head.get(from), to: head.get(to) };
    const key = `${way.from} ${way.to}`;
    if (way.from === way.to || seen.has(key)) continue;
    seen.add(key);
    ways.push(way);
  }
  return { nodes: kept, edges: ways };
}

/**
 * Gives each node its column and row. An edge over several columns has a bend in each of them, which takes a row there, so
 * that no edge runs behind a node.
 */
export function place({ nodes, edges }) {
  const byId = new Map(nodes.map((node) => [node.id, { ...node, column: 0, into: [], out: [] }]));
  const all = [...byId.values()];
  for (const { from, to } of edges) byId.get(to).into.push(byId.get(from));
  for (const node of all) node.column = node.kind === 'variable' ? 0 : Math.max(0, ...node.into.map((one) => one.column)) + 1;
  const last = Math.max(...all.map((node) => node.column), 2);
  for (const node of all) {
    if (node.kind === 'view') node.column = last;
    node.into = [];
  }
  const columns = Array.from({ length: last + 1 }, (_, column) => all.filter((node) => node.column === column));
  const join = (one, other) => {
    one.out.push(other);
    other.into.push(one);
  };
  const bends = new Map();
  const ways = edges.map((edge) => {
    const from = byId.get(edge.from), to = byId.get(edge.to);
    const points = [from];
    for (let column = from.column + 1; column < to.column; column += 1) {
      // Edges to the same node, or from a node without other edges, can share a bend.
      const key = `${edge.from} ${to.kind === 'view' ? edge.to : ''} ${column}`;
      let bend = bends.get(key);
      if (!bend) {
        bend = { kind: 'bend', column, into: [], out: [] };
        bends.set(key, bend);
        columns[column].push(bend);
        join(points.at(-1), bend);
      }
      points.push(bend);
    }
    points.push(to);
    join(points.at(-2), to);
    return { ...edge, points };
  });
  const number = (column) => column.forEach((node, row) => { node.row = row - (column.length - 1) / 2; });
  const weigh = (node, side) => (node[side].length ? node[side].reduce((sum, one) => sum + one.row, 0) / node[side].length : node.row);
  const settle = (column, side) => {
    const weights = new Map(column.map((node) => [node, weigh(node, side)]));
    column.sort((one, other) => weights.get(one) - weights.get(other));
    number(column);
  };
  columns.forEach(number);
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    for (let column = 1; column <= last; column += 1) settle(columns[column], 'into');
    for (let column = last - 1; column >= 0; column -= 1) settle(columns[column], 'out');
  }
  // Nearly empty columns are spread, so that edges are flat.
  const tallest = Math.max(...columns.map((column) => column.length), 1);
  for (const column of columns) {
    const spread = Math.min(tallest / column.length, spreadLimit);
    for (const node of column) node.row *= spread;
  }
  return { columns, byId, ways, tallest };
}

/** Returns all nodes reachable from the given ones over edges in one direction. */
export function reach(starts, edges, { isBackwards = false } = {}) {
  const next = new Map();
  for (const { from, to } of edges) {
    const [here, there] = isBackwards ? [to, from] : [from, to];
    if (!next.has(here)) next.set(here, []);
    next.get(here).push(there);
  }
  const seen = new Set();
  const waiting = [...starts];
  while (waiting.length) {
    const one = waiting.pop();
    if (seen.has(one)) continue;
    seen.add(one);
    waiting.push(...(next.get(one) ?? []));
  }
  return seen;
}
