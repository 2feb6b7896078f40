import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThanOrEqual, type Repository } from 'typeorm';
import { bySystem } from '../../../../kernel/command-context.js';
import { pollLoop } from '../../../../nest/poll-loop.js';
import { SiteRow } from '../../../../projections/models/site.projection.js';
import { SiteCommand } from '../../site/site-command.js';
import { RESERVED_SECONDS, SiteDirectory } from '../../site/site-directory.js';
import { after } from '../deploy/deploy-schemas.js';
import { decideExpire } from './expire.decide.js';

const LOOK_EVERY_MS = 500;
const AT_ONCE = 100;

export class ExpireSite extends SiteCommand(decideExpire) {}

/**
 * Records `SiteExpired` within a second of the expiry. Requests need not wait for this event, because every rule and
 * every response to a visitor checks the expiry itself. Several processes can run this concurrently; the site's stream
 * lets only one of them record the event.
 */
@Injectable()
export class SiteExpirer {
  constructor(
    @InjectRepository(SiteRow) private readonly sites: Repository<SiteRow>,
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
  ) {}

  start(signal: AbortSignal) {
    void pollLoop({ name: 'expire_sites', everyMs: LOOK_EVERY_MS, signal }, () => this.#expireDue());
  }

  /** Records the expiry of one page of expired sites. Returns whether more may remain. */
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

  /**
   * Reserves the slug, then records the expiry. If the process crashes between these steps, the site is found again.
   * Both steps are idempotent.
   */
  async #expire({ siteId, slug, expiresAt }: SiteRow, at: string): Promise<boolean> {
    const until = after((expiresAt ?? new Date(at)).toISOString(), RESERVED_SECONDS);
    await this.directory.reserve(slug, siteId, at, until);
    const { position } = await this.commands.execute(new ExpireSite({ context: bySystem(at), siteId }));
    return position !== null;
  }
}
