// The space that is looked at: its views, as they are, and its commits, as they come.

import { Live } from './live.js';
import { get } from './wire.js';

const commitsLimit = 500, firstCommits = 100;

class Space extends EventTarget {
  name = '';
  views = {};
  /** When each view changed last, by the page's clock. */
  changedAt = {};
  hasViews = false;

  open(name) {
    this.close();
    this.name = name;
    this.views = {};
    this.changedAt = {};
    this.hasViews = false;
    this.stream = new Live((last) => this.path('views') + (last ? `?lastEventId=${encodeURIComponent(last)}` : ''), {
      probe: () => this.path(''),
      onEvent: (data) => this.take(JSON.parse(data)),
    });
  }

  close() {
    this.stream?.close();
    this.stream = null;
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

  /** Calls back now, if there are views, and whenever one of these (by their beginning) changes. */
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

/** The features that can be seen in the space: in `common` only those that live there. */
export const featuresHere = (index) => index.features.filter(({ home }) => home === 'common' || space.name !== 'common');

/** Returns true if clients may perform an action (`feature/name`): `/v1` leaves out the actions that only effects perform. */
export const isOffered = (index, action) =>
  index.features.some(({ name, actions }) => actions.some((one) => `${name}/${one.name}` === action));

/** The commits of the space, newest first. They are followed while some page asks for it. */
class Commits extends EventTarget {
  list = [];
  version = 0;
  oldest = 0;
  followers = 0;

  /** Follows until the signal; what is there already is there at once. */
  follow(signal) {
    this.followers += 1;
    if (this.followers === 1) this.begin();
    signal.addEventListener('abort', () => {
      this.followers -= 1;
      if (!this.followers) this.end();
    });
  }

  async begin() {
    const mine = (this.turn = {});
    this.list = [];
    this.since = 0;
    this.firstVersion = 0;
    try {
      const described = await get(space.path(''));
      if (this.turn !== mine) return;
      this.version = this.firstVersion = described.version;
      this.since = Math.max(0, described.version - firstCommits);
    } catch {
      // The stream says what is wrong, and comes when it can.
      if (this.turn !== mine) return;
    }
    this.dispatchEvent(new CustomEvent('commit', { detail: null }));
    this.stream = new Live((last) => `${space.path('changes')}?since=${last ? encodeURIComponent(last) : this.since}`, {
      onEvent: (data) => this.take(JSON.parse(data)),
      onRefused: ({ problem, status }) => {
        // Older commits than are kept, or those of a server that is no more: from its oldest on.
        if (status !== 410) return false;
        this.since = problem.oldest ?? 0;
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

  end() {
    this.turn = null;
    this.stream?.close();
    this.stream = null;
    this.list = [];
  }

  take(commit) {
    this.version = commit.version;
    commit.seen = performance.now();
    // Made before anything was followed, so that no view was seen to change with it.
    commit.isOld = commit.version <= this.firstVersion;
    this.list.unshift(commit);
    this.list.length = Math.min(this.list.length, commitsLimit);
    this.dispatchEvent(new CustomEvent('commit', { detail: commit }));
  }
}

export const commits = new Commits();
