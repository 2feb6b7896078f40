import { Inject, Injectable } from '@nestjs/common';
import { WakeUps } from '../../../kernel/ports/wake-ups.js';
import type { PreparesToStop } from '../../../nest/stopping.js';
import type { InvocationAnswer } from '../invocation-answer.js';

/** The subject of wake-ups: something came of work, a part or the end. */
export const ANSWERED = 'work-answered';

/** Asks what came of the work; null for nothing that ends the waiting. `answer`: where it was answered in this process. */
export type Look<Found> = (answer: InvocationAnswer | null) => Promise<Found | null>;

/** A caller who waits for what comes of one piece of work, from the moment on at which this is made. */
export class WaitingCaller {
  #hasNews = false;
  #isOver = false;
  #answer: InvocationAnswer | null = null;
  #proceed: () => void = () => undefined;

  /** @param leave ends it: nothing is heard any more. Harmless to repeat. */
  constructor(readonly leave: () => void) {}

  readonly wake = (answer: InvocationAnswer | null): void => {
    this.#answer ??= answer;
    this.#hasNews = true;
    this.#proceed();
  };

  /** Nothing is waited for any more. */
  readonly end = (): void => {
    this.#isOver = true;
    this.#proceed();
  };

  /**
   * Looks whenever there is news until it finds something; at once where there may have been news before. Null when
   * `ms` milliseconds are over, `gone` aborts or the service stops. To be called once.
   */
  async until<Found>(ms: number, gone: AbortSignal, look: Look<Found>): Promise<Found | null> {
    if (gone.aborted) this.end();
    const timer = setTimeout(this.end, ms);
    gone.addEventListener('abort', this.end, { once: true });
    try {
      for (;;) {
        if (!this.#hasNews && !this.#isOver)
          await new Promise<void>((resolve) => {
            this.#proceed = resolve;
          });
        this.#hasNews = false;
        const found = await look(this.#answer);
        if (found !== null || this.#isOver) return found;
      }
    } finally {
      clearTimeout(timer);
      gone.removeEventListener('abort', this.end);
      this.leave();
    }
  }
}

/** Callers in this process who wait for what comes of their work. */
@Injectable()
export class WaitingCallers implements PreparesToStop {
  readonly #byWork = new Map<string, Set<WaitingCaller>>();
  #isStopping = false;

  constructor(@Inject(WakeUps) wakeUps: WakeUps) {
    wakeUps.listen(ANSWERED, (workId) => {
      if (workId !== null) this.#wake(workId, null);
      else for (const id of this.#byWork.keys()) this.#wake(id, null);
    });
  }

  /** For work that is not there yet: it hears of all that comes. It has to be waited with, or left. */
  beforeAll(workId: string): WaitingCaller {
    const caller = new WaitingCaller(() => {
      const callers = this.#byWork.get(workId);
      callers?.delete(caller);
      if (callers?.size === 0) this.#byWork.delete(workId);
    });
    this.#byWork.set(workId, (this.#byWork.get(workId) ?? new Set()).add(caller));
    if (this.#isStopping) caller.end();
    return caller;
  }

  /** For work of which something may have come already: it looks at once. */
  join(workId: string): WaitingCaller {
    const caller = this.beforeAll(workId);
    caller.wake(null);
    return caller;
  }

  /** The work was answered here: callers that wait here need not ask what the answer is. */
  answered(answer: InvocationAnswer): void {
    this.#wake(answer.id, answer);
  }

  /** Answers all waiting callers when the process stops. */
  prepareToStop(): void {
    this.#isStopping = true;
    for (const callers of this.#byWork.values()) for (const caller of callers) caller.end();
  }

  #wake(workId: string, answer: InvocationAnswer | null): void {
    for (const caller of this.#byWork.get(workId) ?? []) caller.wake(answer);
  }
}
