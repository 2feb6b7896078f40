import { formatBytes, formatDuration } from './quantities.js';

const WIDTH = 24;
const REDRAW_MS = 100;
/** The transfer rate is an average over this time, so that it reflects the current speed of the network. */
const RATE_OVER_MS = 5_000;

type Writer = { readonly write: (text: string) => unknown; readonly columns?: number };

/** A line on a terminal that shows how much has been sent, how fast, and how long the rest will take. */
export class ProgressBar {
  readonly #out: Writer;
  readonly #total: number;
  /** The first sample is the start. Otherwise, a transfer that stalls before the first redraw would show no rate. */
  readonly #samples = [{ at: performance.now(), done: 0 }];
  readonly #timer: NodeJS.Timeout;
  #done = 0;

  constructor(total: number, out: Writer = process.stderr) {
    this.#total = total;
    this.#out = out;
    this.#timer = setInterval(() => this.#draw(), REDRAW_MS);
    this.#timer.unref();
  }

  /** Adds to the number of bytes sent. `bytes` is negative if some bytes have to be sent again. */
  advance(bytes: number): void {
    this.#done += bytes;
  }

  end(): void {
    clearInterval(this.#timer);
    this.#out.write('\r\x1b[K');
  }

  #draw(): void {
    const now = performance.now();
    this.#samples.push({ at: now, done: this.#done });
    // Keep one older sample, so that the average always covers the whole time.
    while ((this.#samples[1]?.at ?? now) < now - RATE_OVER_MS) this.#samples.shift();
    const line = formatProgress({ done: this.#done, total: this.#total, perSecond: this.#computeRate(now) });
    this.#out.write(`\r\x1b[K${line.slice(0, (this.#out.columns ?? 80) - 1)}`);
  }

  #computeRate(now: number): number {
    const first = this.#samples[0];
    const ms = first ? now - first.at : 0;
    return first && ms > 0 ? Math.max(0, ((this.#done - first.done) / ms) * 1000) : 0;
  }
}

export function formatProgress({ done, total, perSecond }: { done: number; total: number; perSecond: number }): string {
  const share = total === 0 ? 1 : Math.min(1, Math.max(0, done / total));
  const filled = Math.round(share * WIDTH);
  const left = perSecond > 0 ? `  ${formatDuration(((total - done) / perSecond) * 1000)} left` : '';
  const rate = perSecond > 0 ? `  ${formatBytes(perSecond)}/s` : '';
  const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
  return `${bar} ${Math.floor(share * 100)}%  ${formatBytes(done)} of ${formatBytes(total)}${rate}${left}`;
}
