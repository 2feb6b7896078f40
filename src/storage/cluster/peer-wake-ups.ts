import { randomBytes } from 'node:crypto';
import type { ClientConfig, Pool } from 'pg';
import { BackgroundTask } from '../../kernel/faults/background-task.js';
import { type WakeUpListener, WakeUps } from '../../kernel/ports/wake-ups.js';
import { type Listening, listenOn } from '../postgres/listen-on.js';

const CHANNEL = 'stele_wake_ups';
/** Below PostgreSQL's 8,000 bytes, with the sender's name. */
const LONGEST = 7_000;

const listening = new BackgroundTask('listen_for_wake_ups');
const telling = new BackgroundTask('send_wake_ups');

/**
 * Wake-ups between the processes on one database, by NOTIFY. While the connection is lost they are lost too, and all
 * listeners are woken when it is back.
 */
export class PeerWakeUps extends WakeUps {
  readonly #name = randomBytes(6).toString('hex');
  readonly #listeners = new Map<string, WakeUpListener[]>();
  /** What the others are to be told next; a set, as saying it once is enough. */
  #untold = new Set<string>();
  #isTelling = false;

  /** @param config of a connection to listen on; null where no other process is on the database. */
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

  /** Listens until `signal` aborts, also after the connection was lost. Resolves once it listens, or the first try fails. */
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
    void listenOn(this.config, listener, signal);
    await promise;
  }

  /** One message at a time: what comes up meanwhile goes into the next. */
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

/** Lines in as few messages as they fit in, each after the name of the sender. */
function packed(lines: readonly string[], name: string): readonly string[] {
  const messages: string[] = [];
  let message = name;
  for (const line of lines) {
    if (message.length + line.length > LONGEST) {
      messages.push(message);
      message = name;
    }
    message += `\n${line}`;
  }
  return [...messages, message];
}
