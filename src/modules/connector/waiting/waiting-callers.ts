import { Injectable } from '@nestjs/common';
import { WakeUps } from '../../../kernel/ports/wake-ups.js';
import type { PreparesToStop } from '../../../nest/stopping.js';
import type { InvocationResponse } from '../invocation-response.js';

/** Wake-up subject: work has a new partial result or has ended. */
export const WORK_RESULT = 'work-answered';

/**
 * Looks for the result that a caller waits for. Resolves to null if the caller must continue to wait. `answer` is the
 * response if this process already has it.
 */
export type Look<Found> = (answer: InvocationResponse | null) => Promise<Found | null>;

export class WaitingCaller {
  #hasNews = false;
  #isOver = false;
  #answer: InvocationResponse | null = null;
  #proceed: () => void = () => undefined;

  /** @param leave unregisters the caller; idempotent */
  constructor(readonly leave: () => void) {}

  readonly wake = (answer: InvocationResponse | null): void => {
    this.#answer ??= answer;
    this.#hasNews = true;
    this.#proceed();
  };

  readonly end = (): void => {
    this.#isOver = true;
    this.#proceed();
  };

  /**
   * Calls `look` after each wake-up until it finds something. If a result may already exist, also calls `look`
   * immediately. Resolves to null after `ms` milliseconds, or when `gone` aborts or the service stops. Must be called
   * only once.
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

@Injectable()
export class CallerRegistry implements PreparesToStop {
  readonly #byWork = new Map<string, Set<WaitingCaller>>();
  #isStopping = false;

  constructor(wakeUps: WakeUps) {
    wakeUps.listen(WORK_RESULT, (workId) => {
      if (workId !== null) this.#wake(workId, null);
      else for (const id of this.#byWork.keys()) this.#wake(id, null);
    });
  }

  /**
   * Registers a caller before its work exists, so that no wake-up is missed. To unregister the caller, `until` or
   * `leave` must be called on the result.
   */
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

  /** Registers a caller for work that may already have results. The caller looks for a result immediately. */
  join(workId: string): WaitingCaller {
    const caller = this.beforeAll(workId);
    caller.wake(null);
    return caller;
  }

  /** Passes a response to the callers that wait for it in this process, so that they don't have to query it. */
  answered(answer: InvocationResponse): void {
    this.#wake(answer.id, answer);
  }

  prepareToStop(): void {
    this.#isStopping = true;
    for (const callers of this.#byWork.values()) for (const caller of callers) caller.end();
  }

  #wake(workId: string, answer: InvocationResponse | null): void {
    for (const caller of this.#byWork.get(workId) ?? []) caller.wake(answer);
  }
}
