// A stream of events that reconnects by itself.

import { ask, noteStream, withTicket, Refusal } from './wire.js';

const firstPause = 400, longestPause = 5000;

/** The state of all streams of this page: `open`, `connecting`, `away`, or `refused` if the server refuses one. */
export const presence = new EventTarget();
const streams = new Set();

/** An id without the mark of its ticket: with the mark, the next URL would let its reader go on with this stream. */
const withoutMark = (id) => id.replace(/\.[0-9a-f]{32}$/, '');

export function standing() {
  const states = [...streams].map((stream) => stream.state);
  if (states.includes('away')) return 'away';
  if (states.includes('refused')) return 'refused';
  return states.includes('connecting') ? 'connecting' : 'open';
}

/** The reason of the refusal. */
export const refusal = () => [...streams].find((stream) => stream.state === 'refused')?.refusal ?? '';

export class Live {
  /**
   * `pathOf` returns the path for each connection from the last event's id. `onEvent` gets each event's data, id and name.
   * `onRefused` gets a permanent refusal, and can return true to retry. `probe` is a path whose answer has the reason why there is
   * no stream.
   */
  constructor(pathOf, { onEvent, onOpen, onRefused, names = [], probe = pathOf }) {
    Object.assign(this, { pathOf, onEvent, onOpen, onRefused, names, probe });
    this.lastId = '';
    this.pause = firstPause;
    this.state = 'connecting';
    this.isWanted = true;
    streams.add(this);
    this.connect();
  }

  setState(state) {
    if (this.state === state) return;
    this.state = state;
    presence.dispatchEvent(new Event('change'));
  }

  async connect() {
    const path = this.pathOf(this.lastId);
    if (path !== this.noted) noteStream(path);
    this.noted = path;
    const attempt = {};
    this.attempt = attempt;
    let target = path;
    try {
      target = await withTicket(path);
    } catch {
      // Without a ticket the stream fails, and its probe has the reason.
    }
    if (this.attempt !== attempt || !this.isWanted) return;
    const source = new EventSource(target);
    this.source = source;
    source.onopen = () => {
      this.pause = firstPause;
      this.setState('open');
      this.onOpen?.();
    };
    const take = (event) => {
      const id = withoutMark(event.lastEventId);
      if (id) this.lastId = id;
      this.onEvent(event.data, id, event.type);
    };
    source.onmessage = take;
    for (const name of this.names) {
      source.addEventListener(name, (event) => {
        if (event.data !== undefined) take(event);
      });
    }
    source.onerror = () => {
      if (this.source !== source) return;
      this.setState('away');
      // The browser does not reconnect after an answer that is no stream, and otherwise slowly, so the page reconnects itself.
      source.close();
      this.retry();
    };
  }

  async retry() {
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      this.timer = null;
      try {
        // EventSource does not report the reason of a failure; a plain request does.
        await ask('GET', this.probe(this.lastId), { isQuiet: true });
        if (this.isWanted) this.connect();
      } catch (error) {
        if (!this.isWanted) return;
        if (error instanceof Refusal && error.status < 500 && error.status !== 429 && !this.onRefused?.(error)) {
          this.refusal = error.message;
          return this.setState('refused');
        }
        this.retry();
      }
    }, this.pause);
    this.pause = Math.min(this.pause * 1.6, longestPause);
  }

  /** Reconnects at once, because the page is visible again or has a token. */
  hurry() {
    if (this.state === 'open' || !this.isWanted) return;
    this.pause = firstPause;
    clearTimeout(this.timer);
    this.source?.close();
    this.connect();
  }

  close() {
    clearTimeout(this.timer);
    this.isWanted = false;
    this.source?.close();
    this.source = null;
    streams.delete(this);
    presence.dispatchEvent(new Event('change'));
  }
}

export function hurryAll() {
  for (const stream of streams) stream.hurry();
}
