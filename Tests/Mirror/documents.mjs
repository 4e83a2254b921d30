// Random documents with replicas, and random actions on them.

const object = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required });
const [text, whole] = [{ type: 'string' }, { type: 'integer' }];
const input = (properties) => object({ mark: text, ...properties });

/** The actions that documents choose from. Each has a mark in its input, by which a commit is found. */
const actions = {
  add: {
    input: input({ id: text, n: whole }), require: [{ that: '!(input.id in state.items)', else: { detail: 'there is {input.id}' } }],
    do: [{ put: 'items', key: 'input.id', row: "{'owner': token.sub, 'n': input.n, 'count': size(index.byOwner(token.sub))}" }],
  },
  fresh: { input: input({ n: whole }), do: [{ put: 'items', key: 'newId()', row: "{'owner': token.sub, 'n': input.n, 'count': 0}" }], answer: 'newId()' },
  bump: { input: input({ id: text }), do: [{ update: 'items', key: 'input.id', with: "{'n': row.n + 1}" }] },
  drop: { input: input({ id: text }), do: [{ remove: 'items', key: 'input.id' }] },
  guarded: {
    input: input({ n: whole }), require: [{ that: 'state.total + input.n <= 40', else: { status: 422, detail: 'more than 40', pointer: '/n' } }],
    do: [{ set: 'total', to: 'state.total + input.n' }],
  },
  sweep: {
    input: input({ n: whole }),
    do: [{ each: 'index.byOwner(token.sub)', as: 'k', do: [{ when: 'state.items[k].n > input.n', do: [{ remove: 'items', key: 'k' }], else: [{ update: 'items', key: 'k', with: "{'n': row.n + 2}" }] }] }],
  },
  stamp: { input: input({ id: text }), do: [{ update: 'items', key: 'input.id', with: "{'at': now}" }] },
  price: { input: input({ id: text, by: { type: 'number', format: 'decimal' } }), do: [{ update: 'items', key: 'input.id', with: "{'price': round(row.price + input.by, 2)}" }] },
  open: { input: input({ id: text }), do: [{ put: 'projects', key: 'input.id', row: "{'owner': token.sub, 'name': 'project ' + input.id}" }] },
  share: { input: input({ id: text, user: text }), do: [{ put: 'members', key: "input.id + '-' + input.user", row: "{'user': input.user, 'project': input.id}" }] },
  task: {
    input: input({ id: text, project: text }), require: [{ that: 'input.project in state.projects', else: { detail: 'no project' } }],
    do: [{ put: 'tasks', key: 'input.id', row: "{'project': input.project, 'title': 'task ' + string(size(index.ofProject(input.project)))}" }],
  },
  move: { input: input({ id: text, project: text }), do: [{ update: 'tasks', key: 'input.id', with: "{'project': input.project}" }] },
  shape: {
    input: input({ shape: { oneOf: [{ $ref: '#/types/Circle' }, { $ref: '#/types/Box' }], discriminator: { propertyName: 'kind' } } }),
    do: [{ set: 'shape', to: 'input.shape' }],
  },
  unique: { input: input({ id: text, slug: text }), do: [{ put: 'slugs', key: 'input.id', row: "{'slug': input.slug}" }] },
  blind: { input: input({ id: text }), predict: false, do: [{ update: 'items', key: 'input.id', with: "{'n': row.n * 2}" }] },
  hidden: { input: input({ n: whole }), do: [{ set: 'secret', to: 'state.secret + input.n' }, { set: 'total', to: '0' }] },
  defined: { input: input({ id: text, n: whole }), do: [{ call: 'store', with: { id: 'input.id', n: 'twice(input.n)' } }] },
};

/** Returns a document: all of the state, some of the actions, guards that differ by the version, and inputs that do: one member
 * has another name, with its earlier one, and one action asks for more than before. */
export function documentOf(random, version = 0) {
  const chosen = Object.fromEntries(Object.entries(actions).filter(() => random.below(10) < 8).map(([name, one]) => [name, structuredClone(one)]));
  if (chosen.guarded) chosen.guarded.require[0].that = `state.total + input.n <= ${40 + version * 10}`;
  if (chosen.price && version % 2) {
    chosen.price.input = input({ id: text, amount: { type: 'number', format: 'decimal', was: 'by' } });
    chosen.price.do[0].with = chosen.price.do[0].with.replace('input.by', 'input.amount');
  }
  if (chosen.stamp && version % 3 === 1) chosen.stamp.input = input({ id: text, user: text });
  return {
    feature: 'work', home: 'space',
    types: {
      Circle: object({ kind: { const: 'circle' }, radius: whole }), Box: object({ kind: { const: 'box' }, width: whole, height: whole }),
      Item: object({ owner: text, n: whole, count: { type: 'integer', default: 0 }, price: { type: 'number', format: 'decimal', default: 1.5 }, at: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }], default: null }, pin: { type: 'string', private: true, default: 'x' } }, ['owner', 'n']),
    },
    state: {
      items: { table: { key: text, row: { $ref: '#/types/Item' } }, indexes: { byOwner: { by: ['row.owner'], sort: ['row.n'] } } },
      projects: { table: { key: text, row: object({ owner: text, name: text }) }, indexes: { byUser: { by: ['row.owner'] } } },
      members: { table: { key: text, row: object({ user: text, project: text }) }, indexes: { byMember: { by: ['row.user'] } } },
      tasks: { table: { key: text, row: object({ project: text, title: text }) }, indexes: { ofProject: { by: ['row.project'] } } },
      slugs: { table: { key: text, row: object({ slug: text }) }, indexes: { bySlug: { by: ['row.slug'], unique: true } } },
      total: { value: whole, initial: 0 }, secret: { value: { type: 'integer', private: true }, initial: 0 },
      shape: { value: { anyOf: [{ oneOf: [{ $ref: '#/types/Circle' }, { $ref: '#/types/Box' }], discriminator: { propertyName: 'kind' } }, { type: 'null' }] }, initial: null },
    },
    define: {
      twice: { of: { value: whole }, is: 'value * 2' },
      store: { of: { id: text, n: whole }, do: [{ put: 'items', key: 'id', row: "{'owner': token.sub, 'n': n}" }] },
    },
    actions: { ...chosen, touch: { input: input({}), do: [{ set: 'total', to: 'state.total + 1' }] } },
    views: {
      list: { from: 'items', sort: ['-row.n', 'key'], select: "{'id': key, 'n': row.n, 'owner': row.owner}" },
      few: { from: 'items', where: 'row.n > input.least', sort: ['key'], limit: 3, select: 'key', parameters: { least: whole } },
      sums: { from: 'items', sum: 'row.n', by: 'row.owner' }, count: { expression: 'size(state.items) + state.total' },
      prices: { from: 'items', sum: 'row.price' }, tasks: { from: 'tasks', sort: ['key'], local: true },
      mine: { expression: 'index.byOwner(token.sub).map(k, k)' }, all: { from: 'items', count: true },
    },
    replica: {
      items: {}, total: {}, shape: {}, slugs: {},
      projects: { where: "row.owner == token.sub || index.byMember(token.sub).exists(k, state.members[k].project == key) || token.role == 'boss'" },
      tasks: { of: 'projects', by: 'row.project' },
    },
  };
}

/** Returns a random action of a document: its name, and its input without the mark. */
export function actionOf(random, document, people) {
  const name = random.one(Object.keys(document.actions)), given = {};
  for (const member of Object.keys(document.actions[name].input.properties)) {
    switch (member) {
      case 'mark': break;
      case 'id': given.id = `${name === 'task' || name === 'move' ? 't' : name === 'open' || name === 'share' ? 'p' : 'i'}${random.below(6)}`; break;
      case 'project': given.project = `p${random.below(6)}`; break;
      case 'n': given.n = random.below(12); break;
      case 'by': case 'amount': given[member] = random.one([0.1, 0.25, 1.005, 2]); break;
      case 'user': given.user = random.one(people); break;
      case 'slug': given.slug = `s${random.below(4)}`; break;
      case 'shape': given.shape = random.one([{ kind: 'circle', radius: random.below(9) }, { kind: 'box', width: 1, height: random.below(9) }]); break;
    }
  }
  return [name, given];
}
