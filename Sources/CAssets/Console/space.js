// The selected space: its current views and its commits.

import { Live } from './live.js';
import { ask, get } from './wire.js';

const commitsLimit = 500, firstCommits = 100;

class Space extends EventTarget {
  name = '';
  views = {};
  /** The time of each view's last change, by the page's clock. */
  changedAt = {};
  hasViews = false;
  /** The version that is shown; null for the present. */
  at = null;

  open(name) {
    this.close();
    this.name = name;
    this.views = {};
    this.changedAt = {};
    this.hasViews = false;
    this.at = null;
    this.common = undefined;
    this.follow();
    this.dispatchEvent(new Event('time'));
  }

  follow() {
    this.stream = new Live((last) => `${this.path('views')}?progress=1${last ? `&lastEventId=${encodeURIComponent(last)}` : ''}`, {
      probe: () => this.path(''),
      names: ['version'],
      onEvent: (data, id, name) => {
        const common = /^\d+\.(\d+)-/.exec(id)?.[1] ?? /^(\d+)-/.exec(id)?.[1];
        if (name !== 'version') this.take(JSON.parse(data));
        // A deployment is a commit in `common`.
        if (this.common !== undefined && common !== undefined && common !== this.common) this.dispatchEvent(new Event('common'));
        this.common = common ?? this.common;
      },
    });
  }

  /** Reads the views anew, because the server has other ones. */
  restart() {
    if (this.at !== null || !this.stream) return;
    this.stream.close();
    this.views = {};
    this.hasViews = false;
    this.follow();
  }

  close() {
    this.stream?.close();
    this.stream = null;
  }

  /** Shows a version of the past, or the present. Returns the time from which the state was so. */
  async show(version) {
    const name = this.name;
    this.wanted = version;
    if (version === null) {
      if (this.at === null) return null;
      this.at = null;
      this.follow();
      this.dispatchEvent(new Event('time'));
      return null;
    }
    const { value, headers } = await ask('GET', `${this.path('views')}?at=${version}`);
    if (this.name !== name || this.wanted !== version) return null;
    this.close();
    this.at = version;
    this.take(value);
    this.dispatchEvent(new Event('time'));
    return headers.get('Memento-Datetime');
  }

  path(rest) {
    return `/v1/spaces/${encodeURIComponent(this.name)}${rest ? `/${rest}` : ''}`;
  }

  take(told) {
    const changed = Object.keys(told).filter((view) => JSON.stringify(told[view]) !== JSON.stringify(this.views[view]));
    const isFirst = !this.hasViews;
    Object.assign(this.views, told);
    this.hasViews = true;
    if (!changed.length && !isFirst) return;
    const now = performance.now();
    if (!isFirst) for (const view of changed) this.changedAt[view] = now;
    this.dispatchEvent(new CustomEvent('views', { detail: { changed, isFirst } }));
  }

  /** Calls back at once if there are views, and whenever one of these (by prefix) changes. */
  watch(beginnings, signal, receive) {
    const isMeant = (view) => beginnings.some((beginning) => view.startsWith(beginning));
    if (this.hasViews) receive([], true);
    this.addEventListener('views', ({ detail }) => {
      const changed = detail.changed.filter(isMeant);
      if (changed.length || detail.isFirst) receive(detail.isFirst ? [] : changed, detail.isFirst);
    }, { signal });
  }
}

export const space = new Space();

/** Returns the features visible in the space: in `common` only its own. */
export const featuresHere = (index) => index.features.filter(({ home }) => home === 'common' || space.name !== 'common');

/** Returns true if clients may perform an action (`feature/name`): `/v1` leaves out the actions that only effects perform. */
export const isOffered = (index, action) =>
  index.features.some(({ name, actions }) => actions.some((one) => `${name}/${one.name}` === action));

/** The commits of the space, newest first. They are followed while a page needs them. */
class Commits extends EventTarget {
  list = [];
  version = 0;
  oldest = 0;
  followers = 0;
  /** The commits that are kept: more once older ones were loaded. */
  limit = commitsLimit;

  /** Follows until the signal aborts; calls back at once with the known commits. */
  follow(signal) {
    this.followers += 1;
    // A follower of an earlier space may still be there.
    if (this.followers === 1 || this.name !== space.name) this.restart();
    signal.addEventListener('abort', () => {
      this.followers -= 1;
      if (!this.followers) this.end();
    });
  }

  async begin() {
    const mine = (this.turn = {});
    this.name = space.name;
    this.version = 0;
    this.list = [];
    this.since = 0;
    this.oldest = 0;
    this.limit = commitsLimit;
    this.firstVersion = 0;
    try {
      const described = await get(space.path(''));
      if (this.turn !== mine) return;
      this.version = this.firstVersion = described.version;
      this.since = Math.max(0, described.version - firstCommits);
    } catch {
      // The stream reports the fault, and retries.
      if (this.turn !== mine) return;
    }
    this.dispatchEvent(new CustomEvent('commit', { detail: null }));
    this.stream = new Live((last) => `${space.path('changes')}?since=${last ? encodeURIComponent(last) : this.since}`, {
      onEvent: (data) => this.take(JSON.parse(data)),
      onRefused: ({ problem, status }) => {
        // The tag is older than the history, or of another life: start at the oldest commit.
        if (status !== 410) return false;
        this.since = this.oldest = problem.oldest ?? 0;
        this.stream.lastId = '';
        this.list = [];
        this.dispatchEvent(new CustomEvent('commit', { detail: null }));
        if (problem.oldest === undefined) this.restart();
        return true;
      },
    });
  }

  /** The server has another history than before. */
  restart() {
    this.stream?.close();
    this.stream = null;
    this.begin();
  }

  /** Loads up to `count` commits before the known ones. Returns false if there are no older ones. */
  async loadOlder(count) {
    const mine = this.turn, last = this.list.at(-1);
    const newest = last ? last.version - 1 : this.version;
    const read = (since) => get(`${space.path('changes')}?since=${since}&limit=${newest - since}`);
    let since = Math.max(this.oldest, newest - count), found;
    if (newest <= since) return false;
    try {
      found = await read(since);
    } catch (error) {
      // The oldest commits are gone.
      if (error.status !== 410 || !(error.problem?.oldest >= since)) throw error;
      if (this.turn !== mine) return true;
      since = this.oldest = error.problem.oldest;
      if (newest <= since) return false;
      found = await read(since);
    }
    if (this.turn !== mine || this.list.at(-1) !== last) return true;
    for (const commit of found) commit.isOld = true;
    // An answer ends early if its commits are large.
    if (found.at(-1)?.version === newest) this.list.push(...found.reverse());
    else if (count > 1) return this.loadOlder(Math.ceil(count / 4));
    this.limit = Math.max(commitsLimit, this.list.length);
    this.dispatchEvent(new CustomEvent('commit', { detail: null }));
    return this.list.at(-1).version - 1 > this.oldest;
  }

  end() {
    this.turn = null;
    this.stream?.close();
    this.stream = null;
    this.list = [];
  }

  take(commit) {
    this.version = commit.version;
    commit.seen = performance.now();
    // This commit is older than the subscription, so no changed view was seen for it.
    commit.isOld = commit.version <= this.firstVersion;
    this.list.unshift(commit);
    this.list.length = Math.min(this.list.length, this.limit);
    this.dispatchEvent(new CustomEvent('commit', { detail: commit }));
  }
}

export const commits = new Commits();
