// The types of /client.js, Headwater's client for browsers.
//
//     import { act, view, status } from '/client.js';
//
//     const total = view('cart.totalPrice', { space: 'main' });
//     total.subscribe((price) => { document.title = `${price} €`; }, (problem) => { … });
//     const added = act('cart/add', { productId: 1 }, { space: 'main' });
//     await added;          // The commit is durable.
//     await added.shown;    // All subscribed views of the space show it.
//
// All tabs of one person in a browser share one connection and one queue of actions: one tab has the stream and sends
// the actions; if it closes, another one takes over. Actions and the last values are kept in the browser's database, by
// the subject of the token. Tabs of two persons have nothing in common.

/** A value of JSON. Snapshots are never changed; parts that a patch does not touch stay the same objects. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A problem document of the server (RFC 9457). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly pointer?: string;
  readonly allowed?: readonly string[];
}

/** The settings of the page. Set them before the first view. */
export const settings: {
  /**
   * The token of a server that needs one, or a function that returns it, perhaps later. The function is called for
   * each request, for each stream and for each new listener. Tabs belong together if the subject of their tokens is
   * the same: the claim `sub` of a JSON Web Token. Any other token is a subject of its own, and so is no token. If a
   * call returns the token of another subject, all views are forgotten and the stream opens anew.
   */
  token?: string | (() => string | null | undefined | Promise<string | null | undefined>);
  /** With false nothing is kept in the browser, and each tab has a queue of its own. */
  persist?: boolean;
  /** With 'stop', a refused action stops those after it in its space, until it is retried or discarded. */
  onRefusal?: 'stop';
  /** Further header fields of actions, by name, such as those of generated types. Set them before the first action. */
  headers?: Record<string, Record<string, string>>;
  /** Reads the JSON of events, and of the answers to `path`; generated types keep decimals exact with it. */
  parse?: (text: string, path?: unknown) => unknown;
  /** Returns the JSON of an input of an action `feature/name`. */
  write?: (input: Json, name: string) => string | undefined;
};

/**
 * Ends the session of the subject in all tabs: closes the stream, forgets all values, and erases what the browser has
 * kept of the subject. Rejects if actions wait to be sent, unless `discard` is set. The next session begins once the
 * token has another subject, or none; a session of the same subject begins with the next action or listener. So replace
 * or remove the token first.
 */
export function signOut(options?: { discard?: boolean }): Promise<void>;

/** A view: a store in the sense of Svelte, and the two functions of React's `useSyncExternalStore`. */
export interface View<Value = Json> {
  /**
   * Calls `onValue` with the value at once if there is one, and after each change; with undefined when the value is
   * forgotten. Calls `onError` with the problem if the view cannot be read; the value comes when it can be read again.
   * Returns the function that ends this. The server is asked for a view only while it has a listener.
   */
  subscribe(onValue: (value: Value | undefined) => void, onError?: (problem: Problem) => void): () => void;
  /** The last value, or undefined before the first one. The same object as long as nothing changes. */
  get(): Value | undefined;
  /** `stale`: the last value that was kept, or one whose stream is interrupted. `gone`: the view cannot be read. */
  readonly status: 'loading' | 'stale' | 'live' | 'gone';
}

/** Returns the view `feature.name` of a space; the same object for the same name, space and parameters. */
export function view<Value = Json>(
  name: string,
  options?: { space?: string; parameters?: Record<string, string | number | boolean> },
): View<Value>;

/** The answer to an action. */
export interface Answer {
  readonly space: string;
  /** The version of the commit, or the current one if the action changed nothing. */
  readonly version: number;
  readonly changed: readonly string[];
  readonly result?: Json;
  /** True if the answer was lost and a later action was answered: the action was performed or refused. */
  readonly isUnknown?: true;
}

/** An action under way. Rejected if the server refuses the action, if it is discarded, or if the subject changes. */
export interface Performed extends Promise<Answer> {
  /** The action's id, for `retry` and `discard`. */
  readonly id: string;
  /** Fulfilled when each subscribed view of the space shows the commit, or a later one, or if the subject changes. */
  readonly shown: Promise<Answer>;
}

export interface ActOptions {
  space?: string;
  /** Sends the action at once, outside the queue. */
  parallel?: boolean;
  /** Discards the action if it was not sent yet, and rejects the promise. */
  signal?: AbortSignal;
  /** Milliseconds after which the same happens. */
  timeout?: number;
  /** What the action does to views of the space, until the server shows it: `feature.view` to a function. */
  optimistic?: { [view: string]: (value: any, input: any) => any };
  /** The id of the action; by default a random one. */
  key?: string;
}

/**
 * Performs the action `feature/name`, after those before it in its space. The action waits in the browser's database
 * until the server has answered it, across reloads; after a failure of the network, 401, 425, 429, 502, 503 and 504 it
 * is sent again, and performed once. Any other refusal rejects the promise with an `Error` that has `status` and
 * `problem`; the queue goes on.
 */
export function act(name: string, input?: Json, options?: ActOptions): Performed;

export interface Status {
  readonly state: 'live' | 'connecting' | 'offline' | 'needs-auth';
  /** The time since which the state holds, in milliseconds since 1970. */
  readonly since: number;
  /** The actions that wait for their answer, and those that were refused and not taken care of. */
  readonly waiting: number;
  readonly refused: number;
  /** There if the browser's storage is full or blocked: nothing outlives the page then. */
  readonly storage?: 'failed';
}

/** The state of the connection and of the queue, as a store. */
export const status: { subscribe(listener: (status: Status) => void): () => void; get(): Status };

/** An action of the queue. */
export interface Pending {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  readonly space: string;
  readonly state: 'waiting' | 'sent' | 'refused';
  readonly problem?: Problem;
}

/** Calls `listener` with each refused action whose page is gone. Returns the function that ends this. */
export const onRefused: (listener: (action: Pending, problem: Problem) => void) => () => void;

/** The actions of the subject that wait or were refused, in their order. */
export const pending: () => Promise<Pending[]>;

/** Sends a refused action again, after those that wait. False if there is none. */
export function retry(id: string): Promise<boolean>;

/** Takes an action out of the queue that was not sent, or was refused. False if there is none. */
export function discard(id: string): Promise<boolean>;

/**
 * Keeps a row in a table with presence as long as the page lives: `feature.table`, under the key `as` (by default the
 * subject of the token), with the members `with`. All tabs of a subject have one row in a table, the one that was named
 * last. Returns the function that ends this. A row that the server refuses is not there, without an error.
 */
export function presence(
  table: string,
  options?: { space?: string; as?: string; with?: { readonly [member: string]: Json } },
): () => void;

/** An operation of JSON Patch (RFC 6902). */
export interface Operation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: Json;
}

/** Returns the patched document. The given one stays as it is, and shares all parts that are not on a changed path. */
export const patch: (document: Json, operations: readonly Operation[]) => Json;

/** Returns a function that takes the text of an event stream in any pieces, and calls `take` with each event. */
export function eventParser(take: (name: string, data: string) => void): (text: string) => void;
