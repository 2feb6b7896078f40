import { Inject, Injectable } from '@nestjs/common';
import { WakeUps } from '../../../kernel/ports/wake-ups.js';

/** The subject of wake-ups: something came of work, a part or the end. */
export const ANSWERED = 'work-answered';

/** Callers in this process who wait for what comes of their work. */
@Injectable()
export class WaitingCallers {
  readonly #byWork = new Map<string, Set<() => void>>();
  /** Ends the waiting of each. */
  readonly #ends = new Set<() => void>();
  #isStopping = false;

  constructor(@Inject(WakeUps) wakeUps: WakeUps) {
    wakeUps.listen(ANSWERED, (workId) => {
      if (workId !== null) for (const wake of this.#byWork.get(workId) ?? []) wake();
      else for (const wakes of this.#byWork.values()) for (const wake of wakes) wake();
    });
  }

  /**
   * Asks by `look` whenever there is news of the work, at the beginning too, until it answers something. Null when `ms`
   * milliseconds are over, `gone` aborts or the service stops.
   */
  async until<Found>(
    workId: string,
    ms: number,
    gone: AbortSignal,
    look: () => Promise<Found | null>,
  ): Promise<Found | null> {
    let hasNews = false;
    let proceed: () => void = () => undefined;
    const wake = () => {
      hasNews = true;
      proceed();
    };
    let isOver = gone.aborted || this.#isStopping;
    const end = () => {
      isOver = true;
      proceed();
    };
    const timer = setTimeout(end, ms);
    gone.addEventListener('abort', end, { once: true });
    this.#ends.add(end);
    this.#byWork.set(workId, (this.#byWork.get(workId) ?? new Set()).add(wake));
    try {
      for (;;) {
        hasNews = false;
        const found = await look();
        if (found !== null || isOver) return found;
        if (hasNews) continue;
        await new Promise<void>((resolve) => {
          proceed = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
      gone.removeEventListener('abort', end);
      this.#ends.delete(end);
      const wakes = this.#byWork.get(workId);
      wakes?.delete(wake);
      if (wakes?.size === 0) this.#byWork.delete(workId);
    }
  }

  /** The service stops: nobody is kept waiting. */
  stop(): void {
    this.#isStopping = true;
    for (const end of this.#ends) end();
  }
}
