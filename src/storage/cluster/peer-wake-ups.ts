import { randomBytes } from 'node:crypto';
import type { ClientConfig, Pool } from 'pg';
import { BackgroundTask } from '../../kernel/faults/background-task.js';
import { type WakeUpListener, WakeUps } from '../../kernel/ports/wake-ups.js';
import { type Listening, listenToChannel } from '../postgres/listen-on.js';

const CHANNEL = 'stele_wake_ups';
/**
 * Maximum total length of the wake-ups in one notification. PostgreSQL allows 8,000 bytes, including the sender’s name.
 */
const MAX_CHARACTERS = 7_000;

const listening = new BackgroundTask('listen_for_wake_ups');
const telling = new BackgroundTask('send_wake_ups');

/**
 * Sends wake-ups between the processes on one database by NOTIFY. A wake-up tells listeners in other processes that
 * something has changed. Wake-ups are lost while the connection is down, so all listeners are woken when the connection
 * is restored.
 */
export class PeerWakeUps extends WakeUps {
  readonly #name = randomBytes(6).toString('hex');
  readonly #listeners = new Map<string, WakeUpListener[]>();
  /** Wake-ups for the next message. A set, so that each is sent once. */
  #untold = new Set<string>();
  #isTelling = false;

  /** @param config for a connection to listen on; null if no other process uses the database */
  constructor(
    private readonly pool: Pool,
    private readonly config: ClientConfig | null,
  ) {
    super();
  }

  override listen(subject: string, listener: WakeUpListener): void {
    this.#listeners.set(subject, [...(this.#listeners.get(subject) ?? []), listener]);
  }

  override tell(subject: string, key: string): void {
    this.#wake(subject, key);
    if (this.config === null) return;
    this.#untold.add(`${subject} ${key}`);
    if (!this.#isTelling) void this.#tellOthers();
  }

  /** Listens until `signal` aborts, and reconnects if needed. Resolves after the first connection attempt. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.config === null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const listener: Listening = {
      channel: CHANNEL,
      applicationName: 'stele wake-ups',
      task: listening,
      onMessage: (message) => this.#receive(message),
      onListening: () => {
        for (const subject of this.#listeners.keys()) this.#wake(subject, null);
        resolve();
      },
      onLost: () => resolve(),
    };
    void listenToChannel(this.config, listener, signal);
    await promise;
  }

  /**
   * Sends one message at a time. A message includes all wake-ups that arrived while the previous one was being sent.
   */
  async #tellOthers() {
    this.#isTelling = true;
    while (this.#untold.size > 0) {
      const untold = [...this.#untold];
      this.#untold = new Set();
      const messages = packed(untold, this.#name);
      await telling.run(() =>
        this.pool.query('select pg_notify($1, message) from unnest($2::text[]) as message', [CHANNEL, messages]),
      );
    }
    this.#isTelling = false;
  }

  #receive(message: string) {
    const [name, ...lines] = message.split('\n');
    if (name === this.#name) return;
    for (const line of lines) {
      const [subject = '', key = ''] = line.split(' ');
      this.#wake(subject, key);
    }
  }

  #wake(subject: string, key: string | null) {
    for (const listener of this.#listeners.get(subject) ?? []) listener(key);
  }
}

/** Packs lines into as few messages as possible, each prefixed with the sender’s name. */
function packed(lines: readonly string[], name: string): readonly string[] {
  const messages: string[] = [];
  let message = name;
  for (const line of lines) {
    if (message.length + line.length > MAX_CHARACTERS) {
      messages.push(message);
      message = name;
    }
    message += `\n${line}`;
  }
  return [...messages, message];
}
