import { JobLogged, type JobStepped } from '../../../events/job.events.js';
import { Masks } from '../../../kernel/output/masks.js';

/** Used for jobs without secrets. */
const NO_MASKS = new Masks([]);

type LoggedStep = ReturnType<typeof JobStepped>['data']['step'];
type Line = ReturnType<typeof JobLogged>['data']['lines'][number];

/**
 * Maximum time that a line waits for others. With recording and sending, clients that watch receive it within 250 ms
 * (docs/interface/repositories.md, "Following a job").
 */
const LATEST_MS = 100;
const CHUNK = 65_536;
/** Estimated size of a line in an event besides its text. */
const AROUND_LINE = 50;
const MAX_LINE_CHARACTERS = 16_384;
/** Maximum output of a job. The rest is discarded, which the log mentions. */
const MAX_LINES = 100_000;
const MAX_CHARACTERS = 16 * 1_048_576;
const FULL = 'The log is full (100,000 lines or 16 MiB). Further output is discarded; the job continues.';
/** Every job can log this much, so that its owner can see what went wrong. */
const ALWAYS = 8_192;
/** More is taken from the owner’s share in pieces of this size, which has room for the longest line. */
const PIECE = 65_536;

/** An owner’s share of what all jobs can log. */
export type LogShare = {
  /** Takes this many characters. Resolves to false if too few are left. Must not reject. */
  readonly take: (characters: number) => Promise<boolean>;
  /** Last line of a log that ends because the share is used up. */
  readonly full: string;
};

/**
 * Collects the lines of a job into chunks. Each is one event with up to 64 KiB and one more line, or 100 ms of output.
 * Even in UTF-8 with every character escaped, that is below the limit of EventStoreDB, 1 MiB.
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
    /** Number of lines logged by earlier attempts. */
    private count: number,
    /** Records a chunk, one after the other. Must not throw. */
    private readonly record: (chunk: ReturnType<typeof JobLogged>) => Promise<void>,
    private readonly share: LogShare,
  ) {}

  /** Masks these values in the lines that follow. */
  mask(masks: Masks): void {
    this.#masks = masks;
  }

  get isFull(): boolean {
    return this.#full;
  }

  /** Takes one whole line. Resolves when there is room for more. */
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

  /** Resolves when everything that was logged is recorded. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#lines;
    this.#lines = [];
    this.#characters = 0;
    if (lines.length > 0) await this.record(JobLogged({ step: this.#step, lines }));
  }

  /** Both streams of a command may wait for the same piece. */
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
    // Masked before it is truncated, because half of a value would not be recognised.
    const whole = this.#masks.in(text.toWellFormed());
    const shown = whole.length > MAX_LINE_CHARACTERS ? `${whole.slice(0, MAX_LINE_CHARACTERS).toWellFormed()}…` : whole;
    this.count++;
    this.#lines.push({ n: this.count, stream, text: shown });
    this.#characters += shown.length + AROUND_LINE;
    this.#left -= shown.length;
    this.#timer ??= setTimeout(() => void this.flush(), LATEST_MS);
  }
}
