// Headwater's client: see client.d.ts.

export const settings = {}

let same = (a, b) => a === b || Object(a) === a && Object(b) === b && Array.isArray(a) == Array.isArray(b)
	&& Object.keys({...a, ...b}).every(key => same(a[key], b[key]))

function edit(node, path, isNew = 0, ...items) {
	let [, step, rest] = /.([^/]*)(.*)/s.exec(path), isList = Array.isArray(node)
	step = isList && step == '-' ? node.length : step.replace(/~./g, it => '~/'[it[1]])
	if (rest) [isNew, items] = [0, [edit(node[step], rest, isNew, ...items)]]
	else cut = node[step]
	if (isList ? `${step >>> 0}` != step || step >= node.length + isNew
		: Object(node) !== node || !isNew && !Object.hasOwn(node, step)) throw Error('unfit patch')
	if (isList) return node.toSpliced(step, !isNew, ...items)
	node = {...node, [step]: items[0]}
	if (!items.length) delete node[step]
	return node
}

export const patch = (whole, edits) => edits.reduce((node, {op, path, from, value}) => {
	let isCut = /^(copy|move)$/.test(op), left = op == 'add' || edit(node, `/0${isCut ? from : path}`)
	if (op == 'remove') return left
	if (op == 'test' && same(cut, value)) return node
	if (op == 'move') node = left
	if (isCut) value = cut
	if (value === none || !/^(add|copy|move|replace)$/.test(op)) node = none
	return edit(node, `/0${path}`, op != 'replace', value)
}, [whole])[0]

let me = Math.random(), base = new URL('v1/', import.meta.url), views = {}, fails = 0,
	none, cut, subject, gone, id, seen, tabs, timer, channel, resign, source

async function ask(first) {
	let name = 0, before = seen, {token} = settings
	if (token?.call) token = token()
	if (token?.then) token = await token
	try {
		name = JSON.parse(atob(token.split('.')[1].replace(/-/g, '+').replace(/_/g, '/'))).sub.concat('@')
	} catch {
		// opaque
		for (let it of token || '') name = (name * 257 + it.charCodeAt()) % 1e13
	}
	if (seen == before && name != subject && name != gone) forget(name)
	if (name != subject || name != (first ?? name)) throw Error('another subject')
	return [token, name]
}

function forget(...next) {
	[subject, gone, seen = {}] = next
	leave()
	for (let key in views) views[key].take()
	used()[0] && plan()
}

export const signOut = () => forget(none, subject || gone)

let pause = seconds => new Promise(wake => setTimeout(
	wake, seconds * 1e3 || 300 * 2 ** Math.min(fails++, 4) * (0.5 + Math.random())))

async function send(path, body, key) {
	for (let token, name; ;) {
		[token, name] = await ask(name)
		let headers = {'Content-Type': 'application/json', 'Idempotency-Key': key}
		if (token) headers.Authorization = `Bearer ${token}`
		let reply = await fetch(base + path, {method: 'POST', body, headers}).catch(Response.error),
			{ok, status} = reply, answer = await reply.json().catch(() => {})
		if (answer && ok && name == subject) return answer
		if (/^(4(?!29)|50[01])/.test(status)) throw Object.assign(Error(answer?.detail), {status, problem: answer})
		await pause(reply.headers.get('Retry-After'))
	}
}

export function act(name, input = {}, {space = 'main', key = [me, Math.random()]} = {}) {
	gone = none
	fails = 0
	return Object.defineProperty(send(`spaces/${space}/${name}`, JSON.stringify(input), key), 'shown', {async get() {
		let {version} = await this,
			isLate = ({name, get}) => name.startsWith(`${space}/`) && !(get() !== none && seen[space] >= version)
		for (let mine = seen; mine == seen && used().some(isLate); await pause(0.05)) Math.random() < 0.05 && plan()
		return this
	}})
}

let used = () => Object.values(views).filter(one => one.calls.size),
	plan = () => { id = ''; timer ??= setTimeout(open, 20) },
	open = () => connect().catch(() => pause().then(open)),
	say = (...event) => { channel.postMessage(event); hear({data: event}) },
	keyOf = name => decodeURIComponent(name).split(/[?&]/).sort() + ''

function hear({data: [tab, names, type, data = '{}']}) {
	if (names) tabs[tab] = names
	if (tab && (resign || !names)) plan()
	let {_versions, ...news} = JSON.parse(data)
	Object.assign(seen, _versions)
	for (let name in news) views[keyOf(name)]?.take(type, news[name])
}

async function connect() {
	await ask()
	channel ?? join()
	let ticket = subject && resign ? `ticket=${(await send('tickets', '{}', me)).ticket}&` : ''
	timer = clearTimeout(timer)
	channel.postMessage([me, tabs[me] = used().map(one => one.name)])
	source?.close()
	let names = [...new Set(Object.values(tabs).flat())].slice(0, 100).map(name => ['watch', name])
	if (!resign || !names[0]) return
	source = new EventSource(`${base}live?${ticket}delta=json-patch&lastEventId=${id}&${new URLSearchParams(names)}`)
	source.onmessage = ({type, data, lastEventId}) => {
		if (!timer) id = lastEventId.split('.')[0]
		fails = 0
		say(0, 0, type, data)
	}
	source.addEventListener('patch', source.onmessage)
	source.onerror = () => { source.close(); pause().then(open) }
}

function join() {
	let {locks} = navigator, mine = channel = new BroadcastChannel(base + subject), on = addEventListener,
		lead = () => mine == channel && new Promise(end => { resign = end; say(me) })
	tabs = {}
	mine.onmessage = locks && hear
	on('pagehide', leave)
	on('pageshow', () => channel || plan())
	locks?.request(mine.name, lead) ?? lead()
}

function leave() {
	channel?.postMessage([me, []])
	channel?.close()
	source?.close()
	resign?.()
	channel = resign = timer = clearTimeout(timer)
}

export function view(name, {space = 'main', parameters} = {}) {
	name = `${space}/${name}?${new URLSearchParams(parameters)}`.replace(/\+/g, '%20').replace(/\?$/, '')
	let calls = new Set(), value
	return views[keyOf(name)] ??= {
		name, calls, get: () => value,
		take(type, news) {
			if (type == 'patch') news = value === none ? none : patch(value, news)
			if (same(news, value)) return
			value = news
			calls.forEach(queueMicrotask)
		},
		subscribe(tell) {
			let call = () => tell(value)
			gone = none
			ask().then(plan, plan)
			calls.add(call)
			if (value !== none) call()
			return () => calls.delete(call) && plan()
		},
	}
}
