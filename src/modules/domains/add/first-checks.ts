import { Inject, Injectable } from '@nestjs/common';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { pollLoop } from '../../../nest/poll-loop.js';
import { type CheckedDomain, DomainChecks } from '../check/domain-checks.js';

const AGAIN_EVERY_MS = 1_000;

const scheduling = new BackgroundTask('schedule_domain_checks');

/**
 * Gives a domain its first turn to be checked. That it was added is in the log by then, so a caller is not told of a fault
 * here: this process goes on until the domain has its turn. Where the process ends before, the next start offers it.
 */
@Injectable()
export class FirstChecks {
  /** By hostname and site, those that have no turn yet. */
  readonly #unscheduled = new Map<string, CheckedDomain>();

  constructor(@Inject(DomainChecks) private readonly checks: Pick<DomainChecks, 'schedule' | 'offer'>) {}

  start(signal: AbortSignal) {
    void pollLoop({ name: 'schedule_domain_checks_again', everyMs: AGAIN_EVERY_MS, signal }, () => this.#offer());
  }

  /** Never rejects. */
  async schedule(claim: CheckedDomain): Promise<void> {
    if (!(await scheduling.run(() => this.checks.schedule(claim)))) this.#unscheduled.set(keyOf(claim), claim);
  }

  /** Answers false: more that fails meanwhile has time until the next. A domain that is being checked keeps its turn. */
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
