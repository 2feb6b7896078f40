export type Watched = {
  /** Set to true whenever something is sent or received. The clock resets it. */
  isHeard: boolean;
  silentTicks: number;
  /** Called after each period of `silentMs` in which nothing was sent or received. */
  onSilence(): void;
};

const TICKS = 8;

/**
 * Calls `onSilence` of each watched object that has been silent for `silentMs`, or up to an eighth longer. All objects
 * share one timer, because a timer for each socket would add a thirtieth to the cost of forwarding a small response
 * (lab note 0107).
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
