import { visible } from '../../../edge/browser/log-entry.js';
import type { Masks } from '../../../kernel/output/masks.js';
import { plural } from '../../../kernel/output/quantities.js';
import { LineReader } from '../../../kernel/output/terminal-text.js';
import type { OnOutput } from '../../../kernel/ports/outside/builder.js';

/**
 * A server can print a burst of `AT_ONCE` lines, followed by `A_SECOND` lines per second. Further lines are discarded,
 * and only their number is logged.
 */
const AT_ONCE = 500;
const A_SECOND = 20;
const MAX_LINE_CHARACTERS = 2_000;

/** Colour codes whose escape character was replaced by U+FFFD. */
const COLOURS = /\ufffd\[[\d;:]{0,64}m/g;

export type Stream = 'stdout' | 'stderr';

/** Converts a server's output to lines for the site's log: masked, truncated and rate-limited. */
export class PrintedLines {
  readonly #readers: Readonly<Record<Stream, LineReader>>;
  #left = AT_ONCE;
  #countedAt = performance.now();
  #dropped = 0;

  constructor(
    private readonly masks: Masks,
    private readonly onLine: (stream: Stream | null, text: string) => void,
  ) {
    const reader = (stream: Stream) => new LineReader(async (text) => this.#take(stream, text));
    this.#readers = { stdout: reader('stdout'), stderr: reader('stderr') };
  }

  readonly print: OnOutput = (stream, bytes) => this.#readers[stream].read(bytes);

  /** Must be called when the server has ended. Also adds a last line that does not end with a line feed. */
  async end(): Promise<void> {
    await this.#readers.stdout.end();
    await this.#readers.stderr.end();
    this.#tellDropped();
  }

  #take(stream: Stream, text: string): void {
    const now = performance.now();
    this.#left = Math.min(AT_ONCE, this.#left + ((now - this.#countedAt) / 1_000) * A_SECOND);
    this.#countedAt = now;
    if (this.#left < 1) {
      this.#dropped += 1;
      return;
    }
    this.#tellDropped();
    this.#left -= 1;
    const line = visible(this.masks.in(text)).replace(COLOURS, '');
    this.onLine(
      stream,
      (line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)}…` : line).toWellFormed(),
    );
  }

  #tellDropped(): void {
    if (this.#dropped === 0) return;
    const many = this.#dropped;
    this.#dropped = 0;
    this.onLine(null, `Discarded ${plural(many, 'line')}: the server printed output faster than it can be logged.`);
  }
}
