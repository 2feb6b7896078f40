import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { rawRequestsTo } from '../service/raw-request.js';

const EVERY_MS = 50;
/** Time for which a request is retried before it counts as lost. */
const INSIST_MS = 90_000;
const AGAIN = new Set([502, 503]);

type Put = { readonly slug: string; readonly text: string };

/**
 * Publishes sites and visits them, one request at a time. Retries use the same idempotency key, so that a site is
 * published only once.
 */
export class SteadyLoad {
  readonly put: Put[] = [];
  readonly #wrong: string[] = [];
  /** Number of requests (`asked`), and of those that failed at the first attempt (`again`). */
  readonly counts = { asked: 0, again: 0 };
  readonly #over = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly port: number) {}

  begin(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await this.#running;
  }

  /** Resolves after `requests` more requests have succeeded. */
  async goOn(requests: number): Promise<void> {
    const enough = this.counts.asked + requests;
    while (this.counts.asked < enough && !this.#over.signal.aborted) await delay(EVERY_MS);
  }

  /** Returns and clears the unacceptable responses. */
  wrongSince = (): string[] => this.#wrong.splice(0);

  /** Visits everything that was published, and returns what is missing or has changed. */
  async lost(): Promise<Put[]> {
    const lost = [];
    for (const each of this.put)
      if ((await this.#surely(this.#visit(each)))?.body.toString() !== each.text) lost.push(each);
    return lost;
  }

  async #run(): Promise<void> {
    for (let turn = 0; !this.#over.signal.aborted; turn++) {
      if (turn % 4 === 0) await this.#deploy();
      else {
        const one = this.put[Math.floor(Math.random() * this.put.length)];
        const seen = one && (await this.#surely(this.#visit(one)));
        if (seen && seen.body.toString() !== one.text) this.#wrong.push(`${one.slug} shows ${seen.body}`);
      }
      this.counts.asked++;
      await delay(EVERY_MS);
    }
  }

  async #deploy(): Promise<void> {
    const text = `<p>${randomUUID()}</p>`;
    const headers = { 'content-type': 'text/html', 'idempotency-key': randomUUID() };
    const ask = () => rawRequestsTo(this.port, `localhost:${this.port}`)('/v1/deploy', headers, 'POST', text);
    const answer = await this.#surely(ask);
    if (answer) this.put.push({ slug: JSON.parse(answer.body.toString()).slug, text });
  }

  #visit =
    ({ slug }: Put) =>
    () =>
      rawRequestsTo(this.port, `${slug}.localhost:${this.port}`)('/');

  /** Retries until the status is 200. Records an unacceptable or missing response, and returns null for it. */
  async #surely(ask: () => ReturnType<ReturnType<typeof rawRequestsTo>>) {
    const enough = performance.now() + INSIST_MS;
    for (let tries = 0; performance.now() < enough; tries++) {
      const answer = await ask().catch(() => null);
      if (answer?.status === 200) return answer;
      if (tries === 0) this.counts.again++;
      const code = answer && codeOf(answer.body);
      // After a kill, the idempotency key of the interrupted request remains reserved for some time.
      if (answer && !AGAIN.has(answer.status) && code !== 'idempotency_in_progress') {
        this.#wrong.push(`${answer.status} ${answer.body}`);
        return null;
      }
      if (answer?.status === 503 && !answer.headers['retry-after']) this.#wrong.push('503 without a time to come back');
      await delay(250);
    }
    this.#wrong.push('Nobody answered in time.');
    return null;
  }
}

function codeOf(body: Buffer): string | null {
  try {
    return JSON.parse(body.toString()).code;
  } catch {
    return null;
  }
}
