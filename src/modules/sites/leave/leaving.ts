import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { type SiteEvent, siteStream } from '../../../events/site.events.js';
import type { Decide } from '../../../kernel/decider.js';
import { EventStore } from '../../../kernel/event-store.js';
import { Departures } from '../../../kernel/ports/account-erasure.js';
import { ReadModels } from '../../../kernel/ports/read-models.js';
import { refuse } from '../../../kernel/refusal.js';
import { Transactions } from '../../../kernel/transactions.js';
import { MembershipRow } from '../../../projections/models/member.projection.js';
import { type Site, site } from '../site/site.state.js';
import { SiteDirectory } from '../site/site-directory.js';
import { decideLeave, decideLeaveOrDelete, isLastOwner, type Leave } from './leave.decide.js';

/** Finds a person's sites in the read model; what becomes of each is decided on the site itself. */
@Injectable()
export class Leaving extends Departures {
  constructor(
    @InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
    @Inject(Transactions) private readonly transactions: Transactions,
    @Inject(EventStore) private readonly store: EventStore,
    @Inject(ReadModels) private readonly readModels: ReadModels,
  ) {
    super();
  }

  override async ownedAlone(userId: string) {
    const slugs: string[] = [];
    for (const siteId of await this.#sitesOf(userId)) {
      const { state } = await this.directory.stateOf(siteId);
      if (state.status === 'live' && isLastOwner(state, { userId })) slugs.push(state.slug);
    }
    return slugs.toSorted();
  }

  override leaveOrDeleteAll(userId: string, at: string) {
    return this.#onEach(userId, at, decideLeaveOrDelete);
  }

  override leaveAll(userId: string, at: string) {
    return this.#onEach(userId, at, decideLeave);
  }

  async #onEach(userId: string, at: string, decide: Decide<Site, Leave, SiteEvent>) {
    const by = { at, actor: { kind: 'user', id: userId } as const };
    for (const siteId of await this.#sitesOf(userId))
      await this.transactions.run(siteStream(siteId), site, decide, { userId }, by);
  }

  /**
   * Those they own first: only there may another owner have been quicker, and then nothing else has changed yet. A
   * membership that the read model does not have yet would outlive the person, so that it must have caught up.
   */
  async #sitesOf(userId: string): Promise<string[]> {
    const last = await this.store.lastPosition();
    if ((await this.readModels.reached(last)) < last)
      refuse('unavailable', 'What was last written cannot be read yet. Try again.');
    const rows = await this.memberships.findBy({ userId, kind: 'member' });
    const isOwner = (row: MembershipRow) => Number(row.role === 'owner');
    return rows.toSorted((a, b) => isOwner(b) - isOwner(a)).map(({ siteId }) => siteId);
  }
}
