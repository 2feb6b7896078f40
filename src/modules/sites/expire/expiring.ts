import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThanOrEqual, type Repository } from 'typeorm';
import { siteStream } from '../../../events/site.events.js';
import { Transactions } from '../../../kernel/transactions.js';
import { pollLoop } from '../../../process/nest/poll-loop.js';
import { SiteRow } from '../../../projections/models/site.projection.js';
import { after } from '../deploy/expiry.js';
import { site } from '../site/site.state.js';
import { RESERVED_SECONDS, SiteDirectory } from '../site/site-directory.js';
import { decideExpire } from './expire.decide.js';

const LOOK_EVERY_MS = 500;
const AT_ONCE = 100;

/**
 * Records `SiteExpired` within a second of its time. Nobody waits for that: every rule and every visitor's request
 * looks at the time itself. Any number of processes may do this; the site's own stream lets one of them say it.
 */
@Injectable()
export class Expiring {
  constructor(
    @InjectRepository(SiteRow) private readonly sites: Repository<SiteRow>,
    @Inject(Transactions) private readonly transactions: Transactions,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
  ) {}

  start(signal: AbortSignal) {
    void pollLoop({ name: 'expire_sites', everyMs: LOOK_EVERY_MS, signal }, () => this.#expireDue());
  }

  /** Answers whether there may be more: a page of due sites may be one of many. */
  async #expireDue(): Promise<boolean> {
    const now = new Date();
    const due = await this.sites.find({
      where: { status: 'live', expiresAt: LessThanOrEqual(now) },
      order: { expiresAt: 'asc' },
      take: AT_ONCE,
    });
    const recorded = await Promise.all(due.map((row) => this.#expire(row, now.toISOString())));
    return due.length === AT_ONCE && recorded.some(Boolean);
  }

  /** The slug first: after a crash between the two the site is found again, and both are harmless to repeat. */
  async #expire({ siteId, slug, expiresAt }: SiteRow, at: string): Promise<boolean> {
    const until = after((expiresAt ?? new Date(at)).toISOString(), RESERVED_SECONDS);
    await this.directory.reserve(slug, siteId, at, until);
    const by = { at, actor: { kind: 'system' } as const };
    const { position } = await this.transactions.run(siteStream(siteId), site, decideExpire, { at }, by);
    return position !== null;
  }
}
