// Headwater's service worker: keeps the files of the site, so that its pages open without a network.
//
//     navigator.serviceWorker?.register('/offline.js');
//
// The server lists the files with their hashes in /site.json. A version of the site is used once all of its files are
// here, and a page goes on with the version that it began with. Nothing under /v1 is ever kept.

const prefix = 'headwater site ', pages = 'headwater pages', list = '/site.json';
const fetchFresh = (path) => fetch(path, { cache: 'no-store', credentials: 'same-origin' });

/** Returns the hash of bytes as /site.json has it: SHA-256 in base64url. */
async function hashOf(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return btoa(String.fromCharCode(...digest)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
}

/** Returns the versions that are whole, the newest first: each with its name and its files. */
async function versions() {
  const found = [];
  for (const name of await caches.keys()) {
    const known = name.startsWith(prefix) && await (await caches.open(name)).match(list);
    if (known) found.push({ name, time: Number(known.headers.get('x-kept')), ...await known.json() });
  }
  return found.sort((one, other) => other.time - one.time);
}

let updating;

/** Fetches the present version, if it is not here. Files with known hashes are taken from earlier versions. */
const update = () => updating ??= (async () => {
  const reply = await fetchFresh(list);
  if (!reply.ok) return;
  const site = await reply.json(), known = await versions();
  if (known[0]?.hash === site.hash) return;
  const name = prefix + site.hash, cache = await caches.open(name);
  for (const [path, hash] of Object.entries(site.files)) {
    const earlier = known.find((version) => version.files[path] === hash);
    let file = earlier && await (await caches.open(earlier.name)).match(path);
    if (!file) {
      file = await fetchFresh(path);
      // The site has changed in between: the next look takes it.
      if (!file.ok || await hashOf(await file.clone().arrayBuffer()) !== hash) return;
    }
    await cache.put(path, file);
  }
  const headers = { 'Content-Type': 'application/json', 'x-kept': `${Date.now()}` };
  await cache.put(list, new Response(JSON.stringify(site), { headers }));
  await sweep();
})().catch(() => {}).finally(() => { updating = undefined; });

/** Deletes the versions that no page uses, but for the newest. */
async function sweep() {
  const book = await caches.open(pages), open = new Set((await self.clients.matchAll()).map((page) => page.id)), used = new Set();
  for (const request of await book.keys()) {
    const id = new URL(request.url).searchParams.get('id');
    if (open.has(id)) used.add(await (await book.match(request)).text()); else await book.delete(request);
  }
  for (const { name } of (await versions()).slice(1)) if (!used.has(name)) await caches.delete(name);
}

const page = (id) => `/?id=${encodeURIComponent(id)}`;

/** Returns the version of a page; a new page gets the newest. */
async function versionOf({ clientId, resultingClientId, request }) {
  const known = await versions(), book = await caches.open(pages);
  const name = request.mode !== 'navigate' && clientId && await (await book.match(page(clientId)))?.text();
  const version = known.find((one) => one.name === name) ?? known[0];
  if (version && resultingClientId) await book.put(page(resultingClientId), new Response(version.name));
  return version;
}

async function answer(event) {
  if (event.request.mode === 'navigate') {
    const checked = update();
    await Promise.race([checked, new Promise((wake) => setTimeout(wake, 1000))]);
  }
  const { pathname } = new URL(event.request.url), version = await versionOf(event);
  const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
  const kept = version && path in version.files && await (await caches.open(version.name)).match(path);
  return kept || fetch(event.request);
}

self.addEventListener('install', (event) => event.waitUntil(update().then(() => self.skipWaiting())));
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (event.request.method !== 'GET' || origin !== self.location.origin || /^\/v1(\/|$)/.test(pathname)) return;
  if (['/offline.js', list].includes(pathname)) return;
  event.respondWith(answer(event));
});
