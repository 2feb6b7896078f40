import { JobLogged, type JobStepped } from '../../../events/job.events.js';
import { Masks } from '../../../kernel/output/masks.js';

/** Hides no secret values. Used for jobs without secrets. */
const NO_MASKS = new Masks([]);

type LoggedStep = ReturnType<typeof JobStepped>['data']['step'];
type Line = ReturnType<typeof JobLogged>['data']['lines'][number];

/**
 * Maximum time that a line waits for other lines, so that watching clients receive each line within 250 ms
 * (docs/interface/repositories.md, "Following a job").
 */
const LATEST_MS = 100;
const CHUNK = 65_536;
/** Estimated size of a line in an event, without its text. */
const AROUND_LINE = 50;
const MAX_LINE_CHARACTERS = 16_384;
/** Limits for the output of a job. Further output is discarded, and the log says so. */
const MAX_LINES = 100_000;
const MAX_CHARACTERS = 16 * 1_048_576;
const FULL = 'The log is full (100,000 lines or 16 MiB). Further output is discarded; the job continues.';
/** Minimum number of characters that every job can log, so that its owner can see what went wrong. */
const ALWAYS = 8_192;
/**
 * Output beyond the minimum is counted towards the owner's limit in blocks of this size. A block is large enough for
 * the longest line.
 */
const PIECE = 65_536;

/** Limits how much the jobs of one owner can log in total. */
export type LogShare = {
  /** Counts characters towards the owner's limit. Resolves to false if it would be exceeded. Must not reject. */
  readonly take: (characters: number) => Promise<boolean>;
  /** Last line of a log that ends because the owner's limit is reached. */
  readonly full: string;
};

/**
 * Collects the lines of a job into chunks. Each chunk is one event with up to 64 KiB plus one line, or with 100 ms of
 * output. Even in UTF-8 with every character escaped, that is below EventStoreDB's limit of 1 MiB.
 */
export class JobLog {
  #lines: Line[] = [];
  #step: LoggedStep = 'clone';
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;
  #left = MAX_CHARACTERS;
  #ofShare = ALWAYS;
  #taking: Promise<boolean> | null = null;
  #full = false;
  #masks = NO_MASKS;

  constructor(
    /** Number of lines logged by earlier attempts of the job. */
    private count: number,
    /** Records a chunk of lines. Called for one chunk at a time. Must not throw. */
    private readonly record: (chunk: ReturnType<typeof JobLogged>) => Promise<void>,
    private readonly share: LogShare,
  ) {}

  /** Hides these secret values in all subsequent lines. */
  mask(masks: Masks): void {
    this.#masks = masks;
  }

  get isFull(): boolean {
    return this.#full;
  }

  /** Adds a complete line. Resolves when there is room for more. */
  async line(step: LoggedStep, text: string, stream: Line['stream'] = 'stdout'): Promise<void> {
    if (this.#full) return;
    const isInShare = await this.#hasShareFor(text);
    if (this.#full) return;
    if (step !== this.#step) await this.flush();
    this.#step = step;
    const isLast = !isInShare || this.count + 1 >= MAX_LINES || this.#left < text.length;
    this.#full = isLast;
    this.#add(isLast ? { stream: 'stderr', text: isInShare ? FULL : this.share.full } : { stream, text });
    if (this.#characters >= CHUNK || isLast) await this.flush();
  }

  /** Logs why the job ends early, even if the log is full. */
  async reason(text: string): Promise<void> {
    this.#add({ stream: 'stderr', text });
    await this.flush();
  }

  /** Resolves when everything logged so far has been recorded. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#lines;
    this.#lines = [];
    this.#characters = 0;
    if (lines.length > 0) await this.record(JobLogged({ step: this.#step, lines }));
  }

  /**
   * Reserves part of the owner's limit for a line. Returns false if the limit is reached. The stdout and stderr of a
   * command may both wait for the same block.
   */
  async #hasShareFor(text: string): Promise<boolean> {
    const wanted = Math.min(text.length, MAX_LINE_CHARACTERS + 1) + AROUND_LINE;
    while (this.#ofShare < wanted) {
      this.#taking ??= this.#takePiece();
      if (!(await this.#taking)) return false;
    }
    this.#ofShare -= wanted;
    return true;
  }

  async #takePiece(): Promise<boolean> {
    const isTaken = await this.share.take(PIECE);
    if (isTaken) this.#ofShare += PIECE;
    this.#taking = null;
    return isTaken;
  }

  #add({ stream, text }: Omit<Line, 'n'>): void {
    // Mask secrets before truncating the line, because part of a secret would not be recognized.
    const whole = this.#masks.in(text.toWellFormed());
    const shown = whole.length > MAX_LINE_CHARACTERS ? `${whole.slice(0, MAX_LINE_CHARACTERS).toWellFormed()}…` : whole;
    this.count++;
    this.#lines.push({ n: this.count, stream, text: shown });
    this.#characters += shown.length + AROUND_LINE;
    this.#left -= shown.length;
    this.#timer ??= setTimeout(() => void this.flush(), LATEST_MS);
  }
}
