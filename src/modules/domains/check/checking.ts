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
import { claimOf, domain } from '../domain.state.js';
import { DomainCommand } from '../domain-command.js';
import { after, MISSED_MS } from '../domain-times.js';
import { DomainMails } from '../mails/domain-mails.js';
import { ReleaseDomain } from '../remove/release-domain.js';
import { DomainTrail } from '../trail/domain-trail.js';
import { decideCheck } from './check.decide.js';
import { type CheckedDomain, DomainChecks, type DueCheck } from './domain-checks.js';
import { nextCheckIn } from './next-check.js';

const LOOK_EVERY_MS = 1_000;
const OFFER_EVERY_MS = 10 * 60_000;
const OFFERED_AT_ONCE = 1_000;
/** In one process. */
const AT_ONCE = 10;
/** A check takes ten seconds at most. */
const LEASE_MS = 60_000;
/** How often one domain is looked for because a caller asks. Milliseconds. */
const EVERY_MS = 5_000;

export class CheckDomain extends DomainCommand(decideCheck) {}

const checking = new BackgroundTask('check_domains');

/** Looks for the records of domains, at their turn or when a caller asks, and records what follows from that. */
@Injectable()
export class Checking {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #ended = new AbortController();

  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(Transactions) private readonly transactions: Transactions,
    @Inject(DomainChecks)
    private readonly checks: Pick<DomainChecks, 'offer' | 'take' | 'takeNow' | 'finish' | 'release' | 'remove'>,
    @Inject(DomainChecker) private readonly checker: Pick<DomainChecker, 'check'>,
    private readonly sites: SiteAccess,
    @Inject(DomainTrail) private readonly trail: DomainTrail,
    @Inject(DomainMails) private readonly mails: DomainMails,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
    @InjectRepository(DomainRow) private readonly rows: Pick<Repository<DomainRow>, 'find'>,
  ) {}

  /** From now on each domain is checked when it is its turn. */
  start(signal: AbortSignal) {
    signal.addEventListener('abort', () => this.#ended.abort());
    void pollLoop({ name: 'take_domain_checks', everyMs: LOOK_EVERY_MS, signal }, () => this.#takeDue());
    void pollLoop({ name: 'offer_domain_checks', everyMs: OFFER_EVERY_MS, signal }, () => this.#offer());
  }

  /** After the signal: resolves when no check is under way. */
  async stopped() {
    await Promise.all(this.#running.values());
  }

  /**
   * Checks a domain because a caller asks. One that is being checked here is waited for; one that was checked a moment
   * ago, or is being checked elsewhere, is not checked again. Rejects where the check fails, and may be asked again at once.
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

  /** A fault leaves the domain to its lease: when that is over it is checked again. */
  #run(due: DueCheck, by: (at: string) => CommandContext | ActorContext): Promise<void> {
    const key = keyOf(due);
    const run = this.#check(due, by).finally(() => this.#running.delete(key));
    this.#running.set(key, run.catch(leftToLease));
    return run;
  }

  async #check(due: DueCheck, by: (at: string) => CommandContext | ActorContext): Promise<void> {
    const { hostname, siteId, attempt } = due;
    const { state } = await this.transactions.state(domainStream(hostname), domain);
    const claim = claimOf(state, siteId);
    const site = claim && (await this.sites.find(siteId));
    if (claim && !site) await this.commands.execute(new ReleaseDomain({ context: now(bySystem), hostname, siteId }));
    if (!claim || !site) return this.checks.remove(due);

    const { token } = claim;
    const target = `${site.slug}.${this.urls.siteDomain.replace(/:\d+$/, '')}`;
    const found = await this.checker.check({ hostname, token, target }, this.#ended.signal);
    const context = now(by);
    const lostAt = after(context.at, MISSED_MS);
    const outcome = await this.commands.execute(new CheckDomain({ context, hostname, siteId, token, lostAt, found }));
    const standing = claimOf(outcome.state, siteId);
    const isKnown = found.verified !== null && found.leadsHere !== null;
    const nextIn = standing ? nextCheckIn(standing, { attempt, isKnown, chance: Math.random() }) : null;
    // What was found of one that came to its end is still to be read.
    await this.checks.finish(due, found, nextIn ?? NEVER_MS);
    await this.trail.tell(hostname, outcome.events, siteId);
    // A mail server may take its time.
    void this.mails.tell(hostname, outcome.events);
  }

  /** The table of turns may have been lost, or a process ended before it put a domain there. */
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

/** A year: it is added anew before. */
const NEVER_MS = 365 * 86_400_000;

const keyOf = ({ hostname, siteId }: CheckedDomain) => `${hostname} ${siteId}`;

const now = <Context>(by: (at: string) => Context): Context => by(new Date().toISOString());
