import { randomBytes } from 'node:crypto';
import { Client, type ClientConfig } from 'pg';
import type { EventStore } from '../../kernel/event-store.js';
import { BackgroundTask } from '../../kernel/faults/background-task.js';
import { type Listening, listenToChannel } from '../postgres/listen-on.js';

/** The channel’s name must not change, because processes of two versions may share a database. */
const CHANNEL = 'stele_neighbours';

const listening = new BackgroundTask('listen_to_peers');
const telling = new BackgroundTask('notify_peers');
const following = new BackgroundTask('follow_log_for_peers');

/** Interval at which a process announces itself to the others. */
const BEAT_MS = 3_000;
/** Time after which a peer that has sent no message no longer delays writes. */
const FORGET_MS = 10_000;
/**
 * Maximum time for which a write waits for peers that are behind. After that, these peers are ignored until their next
 * message.
 */
const PATIENCE_MS = 1_000;
/** Maximum factor by which PATIENCE_MS grows while peers or this process reconnect to the database. */
const MAX_TIMES = 3;

type WaitingWrite = { readonly position: bigint; readonly go: () => void };

/** `position` is null for a peer that does not handle requests. `heardAt` is a `performance.now()` timestamp. */
type Peer = { readonly position: bigint | null; readonly heardAt: number };

/**
 * Tracks how far all processes that handle requests have followed the log of their database. A write completes once all
 * of these processes have seen it. The next request therefore sees the write in any process, even without the header
 * `stele-position`. Positions are announced by NOTIFY. While the connection is lost, known peers are assumed to still
 * exist.
 */
export class PeerProgress {
  readonly #name = randomBytes(6).toString('hex');
  readonly #peers = new Map<string, Peer>();
  readonly #waiting = new Set<WaitingWrite>();
  #client: Client | null = null;
  /** Time of the last connection to the database, as a `performance.now()` timestamp. */
  #connectedAt = 0;
  /**
   * Position that this process has reached. If it is null, this process does not handle requests, and peers do not wait
   * for it.
   */
  #position: bigint | null = null;
  #isPublishing = false;
  #lastNotification: Promise<unknown> = Promise.resolve();
  #published = -1n;

  constructor(
    private readonly config: ClientConfig,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  get known() {
    const answering = [...this.#peers.values()].filter(({ position }) => position !== null).length;
    return { all: this.#peers.size, answering };
  }

  /** Listens to peers until `signal` aborts, and reconnects if needed. Resolves after the first connection attempt. */
  async start(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.#listen(signal, resolve);
    const beat = setInterval(() => void this.#notify(String(this.#position ?? '?')), BEAT_MS).unref();
    signal.addEventListener('abort', () => clearInterval(beat), { once: true });
    await promise;
  }

  /**
   * Follows the log until `signal` aborts. Meanwhile, peers wait for this process.
   *
   * @param catchUp resolves when responses of this process include everything up to a position
   */
  async follow(store: EventStore, catchUp: (position: bigint) => Promise<void>, signal: AbortSignal): Promise<void> {
    const from = await store.lastPosition();
    await catchUp(from);
    this.#position = from;
    await this.#notify(String(from));
    this.#followOn(store, catchUp, from, signal)
      // Announces that this process no longer follows the log, so that peers ignore it.
      .catch(following.failed)
      .finally(() => {
        this.#position = null;
        return this.#notify('gone');
      });
  }

  /** Resolves when all known peers have reached the position, or after a second (three without a connection). */
  async reached(position: bigint): Promise<void> {
    if (this.#behind(position).length === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { position, go: resolve };
    this.#waiting.add(waiting);
    const began = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const look = () => {
      const now = performance.now();
      const left = Math.max(began, this.#client ? this.#connectedAt : now) + this.patienceMs - now;
      if (left > 0 && now < began + MAX_TIMES * this.patienceMs) timer = setTimeout(look, left);
      else {
        for (const name of this.#behind(position)) this.#peers.delete(name);
        resolve();
      }
    };
    look();
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(waiting);
  }

  async #followOn(store: EventStore, catchUp: (position: bigint) => Promise<void>, from: bigint, signal: AbortSignal) {
    for await (const batch of store.follow(from, signal)) {
      const position = batch.at(-1)?.position ?? from;
      await catchUp(position);
      this.#position = position;
      if (this.#peers.size > 0) void this.#publish();
    }
  }

  /** Sends one message at a time. A message includes all positions reached while the previous one was being sent. */
  async #publish() {
    if (this.#isPublishing) return;
    this.#isPublishing = true;
    while (this.#position !== null && this.#position > this.#published) {
      this.#published = this.#position;
      await this.#notify(String(this.#published));
    }
    this.#isPublishing = false;
  }

  /** Sends messages one after another, because pg warns about overlapping queries. */
  #notify(what: string): Promise<unknown> {
    this.#lastNotification = this.#lastNotification
      .then(() => this.#client?.query('select pg_notify($1, $2)', [CHANNEL, `${this.#name} ${what}`]))
      .then((sent) => sent && telling.succeeded(), telling.failed);
    return this.#lastNotification;
  }

  #receive(message: string) {
    const [name = '', what = ''] = message.split(' ');
    if (name === this.#name) return;
    const isNew = !this.#peers.has(name);
    if (what === 'gone') this.#peers.delete(name);
    else {
      const position = /^\d+$/.test(what) ? BigInt(what) : null;
      this.#peers.set(name, { position, heardAt: performance.now() });
      if (isNew) void this.#notify(String(this.#position ?? '?'));
    }
    for (const { position, go } of this.#waiting) if (this.#behind(position).length === 0) go();
  }

  #behind(position: bigint): string[] {
    const since = performance.now() - FORGET_MS;
    return [...this.#peers]
      .filter(([, peer]) => peer.position !== null && peer.position < position && peer.heardAt > since)
      .map(([name]) => name);
  }

  /**
   * Sets `heardAt` to the given time for all peers heard from recently, and removes the others. Called when the
   * connection is lost and when it is restored, because peers cannot be heard in between.
   */
  #keepPeers(heardAt: number) {
    const since = performance.now() - FORGET_MS;
    for (const [name, peer] of this.#peers) {
      if (peer.heardAt > since) this.#peers.set(name, { ...peer, heardAt });
      else this.#peers.delete(name);
    }
  }

  async #listen(signal: AbortSignal, first: () => void) {
    const listener: Listening = {
      channel: CHANNEL,
      applicationName: 'stele neighbours',
      task: listening,
      onMessage: (payload) => this.#receive(payload),
      onListening: async (client) => {
        this.#client = client;
        this.#connectedAt = performance.now();
        this.#keepPeers(performance.now());
        await this.#notify(String(this.#position ?? '?'));
        first();
      },
      onLeaving: async () => void (await this.#notify('gone')),
      onLost: (client) => {
        first();
        if (this.#client === client) this.#keepPeers(Number.POSITIVE_INFINITY);
        this.#client = null;
      },
    };
    await listenToChannel(this.config, listener, signal);
  }
}
