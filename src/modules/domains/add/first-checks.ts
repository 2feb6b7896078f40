import { Inject, Injectable } from '@nestjs/common';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { pollLoop } from '../../../nest/poll-loop.js';
import { type CheckedDomain, DomainCheckQueue } from '../check/domain-checks.js';

const AGAIN_EVERY_MS = 1_000;

const scheduling = new BackgroundTask('schedule_domain_checks');

/**
 * Schedules the first check of a domain. The domain is already recorded, so a failure to schedule is not reported to
 * the caller. Instead, this process retries until the check is scheduled. If it exits first, the next process to start
 * schedules the check.
 */
@Injectable()
export class FirstChecks {
  /** Claims without a scheduled first check, by hostname and site. */
  readonly #unscheduled = new Map<string, CheckedDomain>();

  constructor(@Inject(DomainCheckQueue) private readonly checks: Pick<DomainCheckQueue, 'schedule' | 'offer'>) {}

  start(signal: AbortSignal) {
    void pollLoop({ name: 'schedule_domain_checks_again', everyMs: AGAIN_EVERY_MS, signal }, () => this.#offer());
  }

  /** Schedules the first check of a domain. Never rejects. */
  async schedule(claim: CheckedDomain): Promise<void> {
    if (!(await scheduling.run(() => this.checks.schedule(claim)))) this.#unscheduled.set(keyOf(claim), claim);
  }

  /**
   * Schedules the checks that could not be scheduled before. Domains that have already been scheduled are not changed.
   * Always returns false, so that the poll loop waits for its interval before it tries again.
   */
  async #offer(): Promise<boolean> {
    const claims = [...this.#unscheduled.values()];
    if (claims.length === 0) return false;
    await this.checks.offer(claims);
    for (const claim of claims)
      if (this.#unscheduled.get(keyOf(claim)) === claim) this.#unscheduled.delete(keyOf(claim));
    return false;
  }
}

const keyOf = ({ hostname, siteId }: CheckedDomain) => `${hostname} ${siteId}`;
