import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { EventStore } from '../../../kernel/event-store.js';
import { ReadModelWaiter } from '../../../kernel/ports/read-models.js';
import { refuse } from '../../../kernel/refusal.js';
import { MembershipRow } from '../../../projections/models/member.projection.js';
import { InviteStore } from '../people/invite/invites.js';
import { listRevokedInvites } from '../people/invite/void-invites.rule.js';
import { decideLeave, decideLeaveOrDelete, isLastOwner } from '../people/leave/leave.decide.js';
import { EndingCredentials } from '../people/tokens/ending-credentials.js';
import { SiteCommand } from '../site/site-command.js';
import { SiteDirectory } from '../site/site-directory.js';

export class LeaveSite extends SiteCommand(decideLeave) {}

export class LeaveOrDeleteSite extends SiteCommand(decideLeaveOrDelete) {}

/**
 * Number of sites that are deleted in parallel. A higher number would delay other callers; a lower one would keep the
 * user waiting.
 */
const DELETED_AT_ONCE = 8;

/**
 * Ends the memberships of a user whose account is being erased. The read model only lists the user's sites; each site's
 * stream decides what happens to the site.
 */
@Injectable()
export class Memberships {
  constructor(
    @InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>,
    private readonly directory: SiteDirectory,
    private readonly commands: CommandBus,
    private readonly store: EventStore,
    private readonly readModels: ReadModelWaiter,
    private readonly invites: InviteStore,
    private readonly credentials: EndingCredentials,
  ) {}

  /** Returns the slugs of the sites whose only owner is this user, in alphabetical order. */
  async listOwnedAlone(userId: string) {
    const slugs: string[] = [];
    for (const siteId of await this.#sitesOf(userId)) {
      const { state } = await this.directory.stateOf(siteId);
      if (state.status === 'live' && isLastOwner(state, { userId })) slugs.push(state.slug);
    }
    return slugs.toSorted();
  }

  /**
   * Ends all memberships of a user. Deletes the sites that would have no owner left, except those that the operator
   * took down. A failure does not affect the other sites of the same batch.
   */
  async leaveOrDeleteAll(userId: string, at: string) {
    const all = await this.#sitesOf(userId);
    for (let first = 0; first < all.length; first += DELETED_AT_ONCE) {
      const several = all.slice(first, first + DELETED_AT_ONCE);
      const ends = await Promise.allSettled(several.map((id) => this.#leave(LeaveOrDeleteSite, id, userId, at)));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    }
  }

  /**
   * Ends all memberships of a user one by one, owned sites first, so that a refusal with `last_owner` comes before the
   * user loses any other role. Idempotent.
   */
  async leaveAll(userId: string, at: string) {
    for (const siteId of await this.#sitesOf(userId)) await this.#leave(LeaveSite, siteId, userId, at);
  }

  async #leave(Leave: typeof LeaveSite | typeof LeaveOrDeleteSite, siteId: string, userId: string, at: string) {
    const context = { at, caller: { editTokenHash: null, userId } };
    const { events } = await this.commands.execute(new Leave({ context, siteId, userId }));
    await this.invites.drop(listRevokedInvites(events));
    await this.credentials.after(events);
    if (events.some(({ type }) => type === 'SiteDeleted')) await this.credentials.ofSite(siteId);
  }

  /**
   * Returns the IDs of the user's sites. Owned sites come first, because only leaving an owned site can be refused.
   * Requires an up-to-date read model: a membership that is missing there would remain after the user is erased.
   */
  async #sitesOf(userId: string): Promise<string[]> {
    const last = await this.store.lastPosition();
    if ((await this.readModels.reached(last)) < last)
      refuse('unavailable', 'Recent changes are still being processed. Try again.');
    const rows = await this.memberships.findBy({ userId, kind: 'member' });
    const ownerRank = (row: MembershipRow) => Number(row.role === 'owner');
    return rows.toSorted((a, b) => ownerRank(b) - ownerRank(a)).map(({ siteId }) => siteId);
  }
}
