import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { In, MoreThan, type Repository } from 'typeorm';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { domainStream } from '../../../events/domain.events.js';
import { type ActorContext, bySystem, type CommandContext } from '../../../kernel/command-context.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { leftToLease } from '../../../kernel/faults/ignored-fault.js';
import { DomainChecker } from '../../../kernel/ports/outside/domain-checker.js';
import { Transactions } from '../../../kernel/transactions.js';
import { pollLoop } from '../../../nest/poll-loop.js';
import { DomainRow } from '../../../projections/models/domain.projection.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { domain, findClaim } from '../domain.state.js';
import { DomainCommand } from '../domain-command.js';
import { after, MISSED_MS } from '../domain-times.js';
import { DomainMails } from '../mails/domain-mails.js';
import { ReleaseDomain } from '../remove/release-domain.js';
import { DomainTrail } from '../trail/domain-trail.js';
import { decideCheck } from './check.decide.js';
import { type CheckedDomain, DomainCheckQueue, type DueCheck } from './domain-checks.js';
import { computeCheckDelay } from './next-check.js';

const LOOK_EVERY_MS = 1_000;
const OFFER_EVERY_MS = 10 * 60_000;
const OFFERED_AT_ONCE = 1_000;
/** Maximum number of concurrent domain checks per process. */
const AT_ONCE = 10;
/** Duration of a lease on a check. A check takes at most ten seconds. */
const LEASE_MS = 60_000;
/** Minimum interval between two checks of a domain that are requested by callers. */
const EVERY_MS = 5_000;

export class RecordDomainCheck extends DomainCommand(decideCheck) {}

const checking = new BackgroundTask('check_domains');

@Injectable()
export class DomainCheckScheduler {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #ended = new AbortController();

  constructor(
    private readonly commands: CommandBus,
    private readonly transactions: Transactions,
    @Inject(DomainCheckQueue)
    private readonly checks: Pick<DomainCheckQueue, 'offer' | 'take' | 'takeNow' | 'finish' | 'release' | 'remove'>,
    @Inject(DomainChecker) private readonly checker: Pick<DomainChecker, 'check'>,
    private readonly sites: SiteAccess,
    private readonly trail: DomainTrail,
    private readonly mails: DomainMails,
    private readonly urls: ServiceUrls,
    @InjectRepository(DomainRow) private readonly rows: Pick<Repository<DomainRow>, 'find'>,
  ) {}

  start(signal: AbortSignal) {
    signal.addEventListener('abort', () => this.#ended.abort());
    void pollLoop({ name: 'take_domain_checks', everyMs: LOOK_EVERY_MS, signal }, () => this.#takeDue());
    void pollLoop({ name: 'offer_domain_checks', everyMs: OFFER_EVERY_MS, signal }, () => this.#offer());
  }

  /** Resolves when no domain check is running. Must be called after the signal has aborted. */
  async stopped() {
    await Promise.all(this.#running.values());
  }

  /**
   * Checks a domain immediately, or waits for a check that is already running in this process. Does not check a domain
   * that was checked recently or is being checked by another process. Rejects if the check fails; the caller can then
   * retry immediately.
   */
  async now(claim: CheckedDomain, context: CommandContext): Promise<void> {
    const running = this.#running.get(keyOf(claim));
    if (running) return void (await running);
    await this.checks.offer([claim]);
    const due = await this.checks.takeNow(claim, EVERY_MS, LEASE_MS);
    if (!due) return;
    try {
      await this.#run(due, (at) => ({ at, caller: context.caller }));
    } catch (error) {
      await this.checks.release(due).catch(leftToLease);
      throw error;
    }
  }

  async #takeDue(): Promise<boolean> {
    if (this.#running.size >= AT_ONCE) {
      await Promise.race(this.#running.values());
      return true;
    }
    const due = await this.checks.take(AT_ONCE - this.#running.size, LEASE_MS);
    for (const each of due)
      void this.#run({ ...each, attempt: each.attempt + 1 }, bySystem).then(checking.succeeded, checking.failed);
    return due.length > 0;
  }

  /** After an unexpected error, the domain is checked again when the lease expires. */
  #run(due: DueCheck, by: (at: string) => CommandContext | ActorContext): Promise<void> {
    const key = keyOf(due);
    const run = this.#check(due, by).finally(() => this.#running.delete(key));
    this.#running.set(key, run.catch(leftToLease));
    return run;
  }

  async #check(due: DueCheck, by: (at: string) => CommandContext | ActorContext): Promise<void> {
    const { hostname, siteId, attempt } = due;
    const { state } = await this.transactions.state(domainStream(hostname), domain);
    const claim = findClaim(state, siteId);
    const site = claim && (await this.sites.find(siteId));
    if (claim && !site) await this.commands.execute(new ReleaseDomain({ context: now(bySystem), hostname, siteId }));
    if (!claim || !site) return this.checks.remove(due);

    const { token } = claim;
    const target = `${site.slug}.${this.urls.siteDomain.replace(/:\d+$/, '')}`;
    const found = await this.checker.check({ hostname, token, target }, this.#ended.signal);
    const context = now(by);
    const lostAt = after(context.at, MISSED_MS);
    const outcome = await this.commands.execute(
      new RecordDomainCheck({ context, hostname, siteId, token, lostAt, found }),
    );
    const standing = findClaim(outcome.state, siteId);
    const isKnown = found.verified !== null && found.leadsHere !== null;
    const nextIn = standing ? computeCheckDelay(standing, { attempt, isKnown, chance: Math.random() }) : null;
    // Store the findings even if the site's claim has ended, so that users can still read them.
    await this.checks.finish(due, found, nextIn ?? NEVER_MS);
    await this.trail.tell(hostname, outcome.events, siteId);
    // Don't wait for the mails to be sent, because a mail server can be slow.
    void this.mails.tell(hostname, outcome.events);
  }

  /**
   * Schedules checks for claimed domains that have none, because the table was lost or a process exited before adding
   * them.
   */
  async #offer(): Promise<boolean> {
    for (let last = ''; ; ) {
      const rows = await this.rows.find({
        select: { id: true, hostname: true, siteId: true },
        where: { status: In(['pending', 'active']), id: MoreThan(last) },
        order: { id: 'asc' },
        take: OFFERED_AT_ONCE,
      });
      const end = rows.at(-1);
      if (!end) return false;
      await this.checks.offer(rows);
      last = end.id;
    }
  }
}

/**
 * Delay until the next check after a claim has ended. It is so long that this check practically never runs. If the
 * domain is added again, a new check is scheduled.
 */
const NEVER_MS = 365 * 86_400_000;

const keyOf = ({ hostname, siteId }: CheckedDomain) => `${hostname} ${siteId}`;

const now = <Context>(by: (at: string) => Context): Context => by(new Date().toISOString());
