import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { People } from '../../../accounts/people/people.js';
import { AccessTokenStore } from '../../../accounts/tokens/access-tokens.js';
import { PublisherStore, type RequiredClaims } from '../../../accounts/tokens/publishers.js';
import { MemberAdded } from '../../../events/site/member.events.js';
import { FORMER, MEMBER, type Names } from '../../../events/summary-words.js';
import type { Caller } from '../../../kernel/command-context.js';
import { limitRole } from '../../../kernel/rights/delegation.js';
import { DeployRow } from '../../../projections/models/deploy.projection.js';
import { HistoryRow } from '../../../projections/models/history.projection.js';
import { buildMembershipFilter, MembershipRow } from '../../../projections/models/member.projection.js';
import { InviteStore } from '../people/invite/invites.js';

export type Named = {
  readonly kind?: string;
  readonly id?: string;
  readonly token?: string;
  readonly publisher?: string;
  readonly invite?: string;
  readonly deploy?: string;
};

export type KnownNames = Names & {
  /** Returns the actor's name, or null if the actor was not a user. */
  readonly actor: (actor: Named) => string | null;
};

/**
 * Rights of a reader, which determine the names that the reader sees. If `seesAddresses` is true, a member without a
 * name is shown with their address.
 */
export type Reader = {
  readonly seesAddresses: boolean;
  readonly self: string | null;
  /** The site whose invites are looked up, or null to look up none. */
  readonly siteId: string | null;
};

/**
 * Looks up users' current names when a site's history is read, because users can rename themselves or be erased. Only
 * readers who see addresses in the list of members see them in the history.
 */
@Injectable()
export class ActorNames {
  constructor(
    private readonly people: People,
    private readonly tokens: AccessTokenStore,
    private readonly publishers: PublisherStore,
    private readonly invites: InviteStore,
    @InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>,
    @InjectRepository(HistoryRow) private readonly entries: Repository<HistoryRow>,
    @InjectRepository(DeployRow) private readonly deploys: Repository<DeployRow>,
  ) {}

  /** Returns the names to show to this caller. `named` contains the IDs to look up. */
  async of(siteId: string, caller: Caller, named: readonly Named[]): Promise<KnownNames> {
    // A script that uses a user's token does not count as that user, so it does not see that user's address.
    const self = caller.delegation?.kind === 'token' ? null : caller.userId;
    return this.for({ seesAddresses: await this.#ownsIt(siteId, caller), self, siteId }, named);
  }

  /** Returns the names to show to every reader with the same rights. */
  async for({ seesAddresses, self, siteId }: Reader, named: readonly Named[]): Promise<KnownNames> {
    const ids = (member: Exclude<keyof Named, 'kind'>) => [...new Set(named.flatMap((each) => each[member] ?? []))];
    const guests = seesAddresses ? await this.#acceptedBy(siteId, ids('invite')) : new Map<string, string>();
    const [people, tokens, publishers, addresses, numbers] = await Promise.all([
      this.people.findAll([...new Set([...ids('id'), ...guests.values()])]),
      this.tokens.namesOf(ids('token')),
      this.publishers.claimsOf(ids('publisher')),
      seesAddresses ? this.#addressesOf(ids('invite')) : new Map<string, string>(),
      this.#numbersOf(ids('deploy')),
    ]);
    const person = (userId: string) => {
      const known = people.get(userId);
      if (!known) return FORMER;
      return known.name ?? (seesAddresses || userId === self ? known.email : MEMBER);
    };
    const script: Names['script'] = ({ token, publisher }) => {
      const claims = publisher === undefined ? undefined : publishers.get(publisher);
      const name = claims ? jobOf(claims) : tokens.get(token ?? '');
      return name === undefined ? 'CI' : `CI “${name}”`;
    };
    return {
      person,
      script,
      deploy: (deployId) => numbers.get(deployId) ?? null,
      invited: (inviteId) => {
        const guest = guests.get(inviteId);
        return guest === undefined ? (addresses.get(inviteId) ?? null) : person(guest);
      },
      actor: ({ kind, id, ...means }) => {
        if (kind !== 'user' || id === undefined) return null;
        return means.token !== undefined && people.has(id) ? script(means) : person(id);
      },
    };
  }

  /**
   * Returns the IDs of the users who accepted the invites, by invite ID. Their names are shown instead of the invites'
   * addresses, which are erased.
   */
  async #acceptedBy(siteId: string | null, inviteIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (siteId === null || inviteIds.length === 0) return new Map();
    const added = await this.entries.findBy({ siteId, type: MemberAdded.type });
    const members = added.map(({ data }) => JSON.parse(data) as { readonly inviteId: string; readonly userId: string });
    return new Map(
      members.flatMap(({ inviteId, userId }) => (inviteIds.includes(inviteId) ? [[inviteId, userId]] : [])),
    );
  }

  /**
   * Returns the addresses of open invites. Leaves out revoked invites, whose addresses may still be stored if the
   * process was killed before it deleted them.
   */
  async #addressesOf(inviteIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (inviteIds.length === 0) return new Map();
    const open = await this.memberships.findBy({ id: In(inviteIds), kind: 'invite' });
    return this.invites.emailsOf(open.map(({ id }) => id));
  }

  async #numbersOf(deployIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (deployIds.length === 0) return new Map();
    const rows = await this.deploys.findBy({ deployId: In(deployIds) });
    return new Map(rows.map(({ deployId, number }) => [deployId, number]));
  }

  /** Reports whether the caller is an owner. Only owners see addresses, as in the list of members. */
  async #ownsIt(siteId: string, caller: Caller): Promise<boolean> {
    if (caller.userId === null) return false;
    const row = await this.memberships.findOneBy({ siteId, ...buildMembershipFilter(caller.userId, caller) });
    return row !== null && limitRole(caller.delegation, { memberId: row.id, role: row.role }) === 'owner';
  }
}

/** Takes the name of a CI job from the claims of its trusted publisher. */
const jobOf = (claims: RequiredClaims): string =>
  claims.repository ?? claims.project_path ?? claims.sub ?? Object.values(claims)[0] ?? '';
