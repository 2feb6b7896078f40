import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';

export type Heard = {
  readonly id: number | null;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the type of its events
  readonly data: any;
};

/** A connection to an event stream, parsed as browsers do (HTML standard, 9.2.6). */
export class EventStreamClient {
  readonly events: Heard[] = [];
  readonly comments: string[] = [];
  retry: number | null = null;
  status = 0;
  headers: IncomingMessage['headers'] = {};
  body = '';
  /** Resolves when the response ends: to true if it was complete, and to false if it was cut off. */
  readonly closed: Promise<boolean>;
  readonly #request: ClientRequest;
  readonly #changed: (() => void)[] = [];
  #text = '';

  constructor(url: string, headers: Record<string, string> = {}) {
    this.#request = get(url, { headers: { accept: 'text/event-stream', ...headers }, agent: false });
    this.closed = this.#listen();
  }

  /** Resolves to all events up to the first one that matches. Rejects if the stream ends before it. */
  async until(isSo: (heard: Heard) => boolean): Promise<readonly Heard[]> {
    for (;;) {
      const found = this.events.findIndex(isSo);
      if (found >= 0) return this.events.slice(0, found + 1);
      await this.#change();
    }
  }

  /** Resolves to the first `many` events. Rejects if the stream ends before them. */
  async count(many: number): Promise<readonly Heard[]> {
    while (this.events.length < many) await this.#change();
    return this.events.slice(0, many);
  }

  async opened(): Promise<this> {
    while (this.status === 0) await this.#change();
    return this;
  }

  cut(): void {
    this.#request.destroy();
  }

  async #listen(): Promise<boolean> {
    this.#request.on('error', () => undefined);
    const [answer] = await Promise.race([
      once(this.#request, 'response') as Promise<[IncomingMessage]>,
      once(this.#request, 'close').then(() => [null] as const),
    ]).catch(() => [null] as const);
    if (!answer) return this.#over(false);
    this.status = answer.statusCode ?? 0;
    this.headers = answer.headers;
    this.#tellOfChange();
    answer.setEncoding('utf8');
    answer.on('error', () => undefined);
    answer.on('data', (text: string) => {
      this.body += text;
      this.#read(text);
    });
    await new Promise((resolve) => answer.once('close', resolve));
    return this.#over(answer.complete);
  }

  #isOver = false;
  #over(whole: boolean) {
    this.#isOver = true;
    this.#tellOfChange();
    return whole;
  }

  #change(): Promise<void> {
    if (this.#isOver) throw new Error(`The stream is over (${this.status}), with ${this.events.length} events.`);
    return new Promise((resolve) => this.#changed.push(resolve));
  }

  #tellOfChange() {
    for (const tell of this.#changed.splice(0)) tell();
  }

  #read(text: string) {
    const blocks = (this.#text + text).split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) this.#take(block.split('\n'));
    this.#tellOfChange();
  }

  #take(lines: readonly string[]) {
    const fields = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(':');
      if (colon === 0) this.comments.push(line.slice(1).trim());
      else fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
    }
    if (fields.has('retry')) this.retry = Number(fields.get('retry'));
    const data = fields.get('data');
    if (data === undefined) return;
    const id = fields.get('id');
    this.events.push({ id: id ? Number(id) : null, event: fields.get('event') ?? 'message', data: JSON.parse(data) });
  }
}
