import type { Told } from './job-fold.js';

/** The service sends a heartbeat every 15 s. If nothing arrives for this long, the connection is considered lost. */
const SILENT_MS = 40_000;
const LOOK_EVERY_MS = 5_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;

export type Link = 'live' | 'lost' | 'refused';

/**
 * Yields each event after the revision `from` exactly once, until the stream ends or access is lost. Reconnects after
 * an interruption.
 */
export async function* follow(address: string, from: number, onLink: (link: Link) => void): AsyncGenerator<Told> {
  let after = from;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 2)) {
    const connection = new StreamConnection(withAfter(address, after));
    try {
      const status = await connection.open();
      if (status === 204) return;
      if (status === 200) {
        onLink('live');
        for await (const { id, event, data } of connection.lines()) {
          pause = FIRST_PAUSE_MS;
          if (event === 'end') return;
          // The server was restored to an earlier state, so it has fewer events than this page.
          if (event === 'reset') return location.reload();
          // A `skipped` event represents entries that were left out, and has no ID of its own.
          if (event === 'skipped') yield { id: after, event, data };
          if (!(id > after)) continue;
          after = id;
          yield { id, event, data };
        }
      } else if (status !== 429 && status < 500) return onLink('refused');
    } catch {
      // An aborted response is handled like one that has ended, so the loop reconnects.
    } finally {
      connection.close();
    }
    onLink('lost');
    await moment(pause * (0.5 + Math.random()));
  }
}

export async function* past(address: string): AsyncGenerator<Told> {
  for (let from = 0; ; ) {
    const answer = await fetch(`${address}?limit=500&after=${from}`, { headers: { accept: 'application/json' } });
    if (!answer.ok) return;
    const page: { items: readonly Told[]; after: number; total: number } = await answer.json();
    yield* page.items;
    if (page.items.length === 0 || page.after >= page.total) return;
    from = page.after;
  }
}

const withAfter = (address: string, after: number) => `${address}${address.includes('?') ? '&' : '?'}after=${after}`;

/** A single response of the event stream. It is aborted after a long silence. */
class StreamConnection {
  readonly #ending = new AbortController();
  readonly #looking = setInterval(() => this.#look(), LOOK_EVERY_MS);
  /** Uses the wall clock, because other clocks stop while the machine sleeps. */
  #heardAt = Date.now();
  #body: ReadableStream<Uint8Array> | null = null;

  constructor(private readonly address: string) {
    document.addEventListener('visibilitychange', this.#look);
  }

  async open(): Promise<number> {
    const headers = { accept: 'application/x-ndjson' };
    const { status, body } = await fetch(this.address, { headers, cache: 'no-store', signal: this.#ending.signal });
    this.#body = body;
    return status;
  }

  /**
   * Yields complete lines only. If the connection breaks within a line, the server sends that line again after the
   * reconnection.
   */
  async *lines(): AsyncGenerator<Told> {
    if (!this.#body) return;
    const reader = this.#body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      this.#heardAt = Date.now();
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield JSON.parse(line);
    }
  }

  close(): void {
    clearInterval(this.#looking);
    document.removeEventListener('visibilitychange', this.#look);
    this.#ending.abort();
  }

  readonly #look = () => {
    if (Date.now() - this.#heardAt > SILENT_MS) this.#ending.abort();
  };
}

const moment = (ms: number) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener('online', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener('online', done);
  });
