// The types of /client.js, Headwater's client for browsers.
//
//     import { act, view } from '/client.js';
//
//     const total = view('cart.totalPrice', { space: 'main' });
//     total.subscribe((price) => { document.title = `${price} €`; });
//     const added = act('cart/add', { productId: 1 }, { space: 'main' });
//     await added;          // The commit is durable.
//     await added.shown;    // All subscribed views of the space show it.
//
// All tabs of one person in a browser share one connection: one tab has the stream and passes its events on; if it
// closes, another one takes over. The stream reconnects by itself and goes on where it was. Tabs of two persons have
// nothing in common.

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
   * each request, for each stream and for each new listener. Tabs share a connection if the subject of their tokens is
   * the same: the claim `sub` of a JSON Web Token. Any other token is a subject of its own, and so is no token. If a
   * call returns the token of another subject, all views are forgotten and the stream opens anew.
   */
  token?: string | (() => string | null | undefined | Promise<string | null | undefined>);
};

/**
 * Ends the session of the subject in this tab: closes the stream, forgets the values of all views, and lets actions
 * under way go. The next session begins once the token has another subject, or none; a session of the same subject
 * begins with the next action or listener. So replace or remove the token first.
 */
export function signOut(): void;

/** A view: a store in the sense of Svelte, and the two functions of React's `useSyncExternalStore`. */
export interface View<Value = Json> {
  /**
   * Calls `listener` with the value at once if there is one, and after each change; with undefined when the value is
   * forgotten because the subject has changed. Returns the function that ends this. The server is asked for a view
   * only while it has a listener.
   */
  subscribe(listener: (value: Value | undefined) => void): () => void;
  /** The subject's last value, or undefined before the first one. The same object as long as nothing changes. */
  get(): Value | undefined;
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
}

/** A performed action, once it is answered. Rejected if the server refuses the action, or if the subject changes. */
export interface Performed extends Promise<Answer> {
  /** Fulfilled when each subscribed view of the space shows the commit, or a later one, or if the subject changes. */
  readonly shown: Promise<Answer>;
}

/**
 * Performs the action `feature/name`. It is sent again, with the same `Idempotency-Key`, until it is answered: after
 * a failure of the network, 429, 502, 503 and 504. So it is performed once. Any other refusal rejects the promise
 * with an `Error` that has `status` and `problem`. It is sent under one subject only: if the subject changes before
 * the answer, the promise is rejected with an `Error` without `status`, and the action may be performed or not.
 */
export function act(name: string, input?: Json, options?: { space?: string; key?: string }): Performed;

/** An operation of JSON Patch (RFC 6902). */
export interface Operation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: Json;
}

/** Returns the patched document. The given one stays as it is, and shares all parts that are not on a changed path. */
export function patch(document: Json, operations: readonly Operation[]): Json;
