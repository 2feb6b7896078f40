import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { EventStore } from '../../../../kernel/event-store.js';
import { AccountErasure } from '../../../../kernel/ports/account-erasure.js';
import { ReadModels } from '../../../../kernel/ports/read-models.js';
import { refuse } from '../../../../kernel/refusal.js';
import { MembershipRow } from '../../../../projections/models/member.projection.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { Invites } from '../invite/invites.js';
import { voidedBy } from '../invite/void-invites.decide.js';
import { EndingCredentials } from '../tokens/ending-credentials.js';
import { decideLeave, decideLeaveOrDelete, isLastOwner } from './leave.decide.js';

export class LeaveSite extends SiteCommand(decideLeave) {}

export class LeaveOrDeleteSite extends SiteCommand(decideLeaveOrDelete) {}

/**
 * A person with many sites should not wait for one after the other, nor delay others by deleting all of them at once.
 */
const DELETED_AT_ONCE = 8;

/** Finds a person's sites in the read model. The rules of each site decide what happens to it. */
@Injectable()
export class Leaving extends AccountErasure {
  constructor(
    @InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(EventStore) private readonly store: EventStore,
    @Inject(ReadModels) private readonly readModels: ReadModels,
    @Inject(Invites) private readonly invites: Invites,
    @Inject(EndingCredentials) private readonly credentials: EndingCredentials,
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

  /** A failure at one site does not stop the others. */
  override async leaveOrDeleteAll(userId: string, at: string) {
    const all = await this.#sitesOf(userId);
    for (let first = 0; first < all.length; first += DELETED_AT_ONCE) {
      const several = all.slice(first, first + DELETED_AT_ONCE);
      const ends = await Promise.allSettled(several.map((id) => this.#leave(LeaveOrDeleteSite, id, userId, at)));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    }
  }

  /** One site after the other: if another owner was faster and one is refused, nothing else has changed. */
  override async leaveAll(userId: string, at: string) {
    for (const siteId of await this.#sitesOf(userId)) await this.#leave(LeaveSite, siteId, userId, at);
  }

  async #leave(Leave: typeof LeaveSite | typeof LeaveOrDeleteSite, siteId: string, userId: string, at: string) {
    const context = { at, caller: { editTokenHash: null, userId } };
    const { events } = await this.commands.execute(new Leave({ context, siteId, userId }));
    await this.invites.drop(voidedBy(events));
    await this.credentials.after(events);
    if (events.some(({ type }) => type === 'SiteDeleted')) await this.credentials.ofSite(siteId);
  }

  /**
   * Returns the sites that they own first: only there can another owner have been faster, and then nothing else has
   * changed yet. The read model must have caught up, since a membership that it lacks would outlive the person.
   */
  async #sitesOf(userId: string): Promise<string[]> {
    const last = await this.store.lastPosition();
    if ((await this.readModels.reached(last)) < last)
      refuse('unavailable', 'Recent changes are still being processed. Try again.');
    const rows = await this.memberships.findBy({ userId, kind: 'member' });
    const isOwner = (row: MembershipRow) => Number(row.role === 'owner');
    return rows.toSorted((a, b) => isOwner(b) - isOwner(a)).map(({ siteId }) => siteId);
  }
}
