import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type ClientConfig, type Pool } from 'pg';
import { orAborted } from '../kernel/concurrency/or-aborted.js';
import { BackgroundTask } from '../kernel/faults/background-task.js';
import { alreadyGone } from '../kernel/faults/ignored-fault.js';
import { type WakeUpListener, WakeUps } from '../kernel/ports/wake-ups.js';
import { RETRY_PAUSE } from '../postgres/retry.js';

const CHANNEL = 'stele_wake_ups';
/** Below PostgreSQL's 8,000 bytes, with the sender's name. */
const LONGEST = 7_000;

const listening = new BackgroundTask('listen_for_wake_ups');
const telling = new BackgroundTask('send_wake_ups');

/**
 * Wake-ups between the processes on one database, by NOTIFY. While the connection is lost they are lost too, and
 * whoever waits is woken when it is back.
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
    void this.#listen(this.config, signal, resolve);
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

  async #listen(config: ClientConfig, signal: AbortSignal, first: () => void) {
    while (!signal.aborted) {
      const client = new Client({ ...config, keepAlive: true, application_name: 'stele wake-ups' });
      const ended = new Promise<void>((resolve) => client.once('end', resolve));
      client.on('error', () => undefined); // the end follows
      client.on('notification', ({ payload = '' }) => this.#receive(payload));
      try {
        await client.connect();
        await client.query(`listen ${CHANNEL}`);
        listening.succeeded();
        for (const subject of this.#listeners.keys()) this.#wake(subject, null);
        first();
        await orAborted(ended, signal);
      } catch (error) {
        if (!signal.aborted) listening.failed(error);
      }
      first();
      await client.end().catch(alreadyGone);
      await orAborted(pause(RETRY_PAUSE), signal);
    }
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
