import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { BackgroundTask } from '../kernel/background-task.js';
import { orAborted } from '../kernel/concurrency/or-aborted.js';
import type { EventStore } from '../kernel/event-store.js';
import { alreadyGone } from '../kernel/ignored-fault.js';
import { RETRY_PAUSE } from '../postgres/retry.js';

const CHANNEL = 'stele_neighbours';

const listening = new BackgroundTask('listen_to_peers');
const telling = new BackgroundTask('notify_peers');
const following = new BackgroundTask('follow_log_for_peers');

/** How often a process says that it is there, in milliseconds. */
const BEAT_MS = 3_000;
/** One that was not heard of for so long is not waited for. */
const FORGET_MS = 10_000;
/** How long a write waits for those that are behind; whoever is, is not waited for again until it is heard of. */
const PATIENCE_MS = 1_000;
/** The longest that a write waits while connections are made again: theirs as well as ours. */
const MOST_MS = 3_000;

type Waiting = { readonly position: bigint; readonly go: () => void };

/**
 * How far the processes that answer requests on one database have followed its log. A write is answered when each of
 * them knows of it, so that whoever is asked next, whichever it is, has heard of it: `stele-position` is not needed
 * for that, though it does the same. Told by NOTIFY; where the connection is lost, those that were there before count
 * as being there still.
 */
export class PeerProgress {
  readonly #name = randomBytes(6).toString('hex');
  /** Those that answer no requests have no position. */
  readonly #others = new Map<string, { readonly position: bigint | null; readonly heardAt: number }>();
  readonly #waiting = new Set<Waiting>();
  #client: Client | null = null;
  /** Since when others can be heard. */
  #connectedAt = 0;
  /** Null for a process that answers no requests: nobody waits for it. */
  #position: bigint | null = null;
  #telling = false;
  #saying: Promise<unknown> = Promise.resolve();
  #told = -1n;

  constructor(private readonly config: ClientConfig) {}

  /** How many other processes are known, and how many of them answer requests. */
  get known() {
    const answering = [...this.#others.values()].filter(({ position }) => position !== null).length;
    return { all: this.#others.size, answering };
  }

  /** Hears the others until `signal` aborts; resolves when it does, or when the database did not let it at first. */
  async start(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.#listen(signal, resolve);
    const beat = setInterval(() => void this.#say(String(this.#position ?? '?')), BEAT_MS).unref();
    signal.addEventListener('abort', () => clearInterval(beat), { once: true });
    await promise;
  }

  /** From now on the others wait for this process: `here` resolves when its answers know of everything up to a position. */
  async follow(store: EventStore, here: (position: bigint) => Promise<void>, signal: AbortSignal): Promise<void> {
    const from = await store.lastPosition();
    await here(from);
    this.#position = from;
    await this.#say(String(from));
    this.#tellOn(store, here, from, signal)
      // No process waits for one that no longer follows.
      .catch(following.failed)
      .finally(() => {
        this.#position = null;
        return this.#say('gone');
      });
  }

  /**
   * Resolves when every process heard of has passed the position; after a second at the latest, and after three where
   * nobody could be heard. Never rejects.
   */
  async reached(position: bigint): Promise<void> {
    if (this.#behind(position).length === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { position, go: resolve };
    this.#waiting.add(waiting);
    const began = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const look = () => {
      const now = performance.now();
      const left = Math.max(began, this.#client ? this.#connectedAt : now) + PATIENCE_MS - now;
      if (left > 0 && now < began + MOST_MS) timer = setTimeout(look, left);
      else {
        for (const name of this.#behind(position)) this.#others.delete(name);
        resolve();
      }
    };
    look();
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(waiting);
  }

  async #tellOn(store: EventStore, here: (position: bigint) => Promise<void>, from: bigint, signal: AbortSignal) {
    for await (const batch of store.follow(from, signal)) {
      const position = batch.at(-1)?.position ?? from;
      await here(position);
      this.#position = position;
      if (this.#others.size > 0) void this.#tell();
    }
  }

  /** One message at a time: what has changed meanwhile goes into the next. */
  async #tell() {
    if (this.#telling) return;
    this.#telling = true;
    while (this.#position !== null && this.#position > this.#told) {
      this.#told = this.#position;
      await this.#say(String(this.#told));
    }
    this.#telling = false;
  }

  /** One after another: pg warns of a query that is asked while another is answered. */
  #say(what: string): Promise<unknown> {
    this.#saying = this.#saying
      .then(() => this.#client?.query('select pg_notify($1, $2)', [CHANNEL, `${this.#name} ${what}`]))
      .then((sent) => sent && telling.succeeded(), telling.failed);
    return this.#saying;
  }

  #hear(message: string) {
    const [name = '', what = ''] = message.split(' ');
    if (name === this.#name) return;
    const isNew = !this.#others.has(name);
    if (what === 'gone') this.#others.delete(name);
    else {
      const position = /^\d+$/.test(what) ? BigInt(what) : null;
      this.#others.set(name, { position, heardAt: performance.now() });
      if (isNew) void this.#say(String(this.#position ?? '?'));
    }
    for (const { position, go } of this.#waiting) if (this.#behind(position).length === 0) go();
  }

  #behind(position: bigint): string[] {
    const since = performance.now() - FORGET_MS;
    return [...this.#others]
      .filter(([, other]) => other.position !== null && other.position < position && other.heardAt > since)
      .map(([name]) => name);
  }

  /** Those that were there last, whom nobody has heard since for want of a connection. */
  #keepOthers(heardAt: number) {
    const since = performance.now() - FORGET_MS;
    for (const [name, other] of this.#others) {
      if (other.heardAt > since) this.#others.set(name, { ...other, heardAt });
      else this.#others.delete(name);
    }
  }

  async #listen(signal: AbortSignal, first: () => void) {
    while (!signal.aborted) {
      const client = new Client({ ...this.config, keepAlive: true, application_name: 'stele neighbours' });
      const ended = new Promise<void>((resolve) => client.once('end', resolve));
      client.on('error', () => undefined); // the end follows
      client.on('notification', ({ payload = '' }) => this.#hear(payload));
      try {
        await client.connect();
        await client.query(`listen ${CHANNEL}`);
        this.#client = client;
        listening.succeeded();
        this.#connectedAt = performance.now();
        this.#keepOthers(performance.now());
        await this.#say(String(this.#position ?? '?'));
        first();
        await orAborted(ended, signal);
        await this.#say('gone');
      } catch (error) {
        if (!signal.aborted) listening.failed(error);
      }
      first();
      if (this.#client === client) this.#keepOthers(Number.POSITIVE_INFINITY);
      this.#client = null;
      await client.end().catch(alreadyGone);
      await orAborted(pause(RETRY_PAUSE), signal);
    }
  }
}
