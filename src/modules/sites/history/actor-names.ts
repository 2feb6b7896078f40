import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { FORMER, MEMBER, type Names } from '../../../events/site/site-summary.js';
import type { Caller } from '../../../kernel/command-context.js';
import { roleWithin } from '../../../kernel/delegation.js';
import { MembershipRow, membershipsOf } from '../../../projections/models/member.projection.js';
import { People } from '../../../tables/people/people.js';
import { AccessTokens } from '../../../tables/tokens/access-tokens.js';
import { type Claims, Publishers } from '../../../tables/tokens/publishers.js';

/** Whom an event names. */
export type NamedActor = {
  readonly kind?: string;
  readonly id?: string;
  readonly token?: string;
  readonly publisher?: string;
};

export type KnownNames = Names & {
  /** What to call the one who did it; null where no person did. */
  readonly actor: (actor: NamedActor) => string | null;
};

/** Who reads: whether they see addresses in the place of names, and who they are themselves, where that is known. */
export type Reader = { readonly seesAddresses: boolean; readonly self: string | null };

/**
 * What to call those whom events name by ids, as it is now: joined when read, so that a person may take another name, or be
 * erased. An address in the place of a name is for those who see addresses in the list of members.
 */
@Injectable()
export class ActorNames {
  constructor(
    @Inject(People) private readonly people: People,
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
    @Inject(Publishers) private readonly publishers: Publishers,
    @InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>,
  ) {}

  /** Names for a caller who may read the site. `named` has the ids that are to be named. */
  async of(siteId: string, caller: Caller, named: readonly NamedActor[]): Promise<KnownNames> {
    // A script that holds a person’s token is not that person.
    const self = caller.delegation?.kind === 'token' ? null : caller.userId;
    return this.for({ seesAddresses: await this.#ownsIt(siteId, caller), self }, named);
  }

  /** Names for a reader, and for every other reader who sees as much. */
  async for({ seesAddresses, self }: Reader, named: readonly NamedActor[]): Promise<KnownNames> {
    const ids = (member: 'id' | 'token' | 'publisher') => [...new Set(named.flatMap((actor) => actor[member] ?? []))];
    const [people, tokens, publishers] = await Promise.all([
      this.people.findAll(ids('id')),
      this.tokens.namesOf(ids('token')),
      this.publishers.claimsOf(ids('publisher')),
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
      actor: ({ kind, id, ...means }) => {
        if (kind !== 'user' || id === undefined) return null;
        return means.token !== undefined && people.has(id) ? script(means) : person(id);
      },
    };
  }

  /** As in the list of members: owners see addresses. A token of theirs for one site is for no names at all. */
  async #ownsIt(siteId: string, caller: Caller): Promise<boolean> {
    if (caller.userId === null) return false;
    const row = await this.memberships.findOneBy({ siteId, ...membershipsOf(caller.userId, caller) });
    return row !== null && roleWithin(caller.delegation, { memberId: row.id, role: row.role }) === 'owner';
  }
}

/** What a job is called by what its publisher has to say. */
const jobOf = (claims: Claims): string =>
  claims.repository ?? claims.project_path ?? claims.sub ?? Object.values(claims)[0] ?? '';
