/** What may be silent, such as a connection. */
export type Watched = {
  /** Set whenever something was sent or has come; taken back by the clock. */
  isHeard: boolean;
  /** The clock’s own count. */
  silentTicks: number;
  /** Nothing was sent and nothing came for as long as the clock says; called again after as long. */
  onSilence(): void;
};

const TICKS = 8;

/**
 * Tells what was silent for so many milliseconds, or an eighth more. It is one timer for all: the one that Node keeps
 * for each socket is set anew at each read and write, a thirtieth of what passing on a small answer costs (lab note
 * 0107).
 */
export class SilenceClock {
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly silentMs: number) {}

  watch(one: Watched) {
    this.#watched.add(one);
    this.#timer ??= setInterval(this.#tick, this.silentMs / TICKS).unref();
  }

  forget(one: Watched) {
    this.#watched.delete(one);
    if (this.#watched.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  readonly #tick = () => {
    for (const one of this.#watched) {
      one.silentTicks = one.isHeard ? 0 : one.silentTicks + 1;
      one.isHeard = false;
      if (one.silentTicks < TICKS) continue;
      one.silentTicks = 0;
      one.onSilence();
    }
  };
}
