import { Injectable } from '@nestjs/common';
import { AgentGrantsTable } from '../../../../accounts/grants/agent-grants.js';
import { AccessTokenStore } from '../../../../accounts/tokens/access-tokens.js';
import type { Caller } from '../../../../kernel/command-context.js';
import { type JobRight, type RightEnd } from '../../../../kernel/rights/job-right.js';
import type { Site } from '../../site/site.state.js';
import { toJobCredential, whyRightEnded } from './job-right.rule.js';

/**
 * Finds out which access tokens and grants were revoked. Only the tables show it, since most revocations record no
 * event.
 */
@Injectable()
export class RevokedCredentials {
  constructor(
    private readonly tokens: AccessTokenStore,
    private readonly grants: AgentGrantsTable,
  ) {}

  /** Returns those of the rights whose token or grant was revoked. */
  async among<Right extends Pick<JobRight, 'kind' | 'id'>>(rights: readonly Right[]): Promise<readonly Right[]> {
    const idsOf = (wanted: JobRight['kind']) => rights.flatMap(({ kind, id }) => (kind === wanted ? (id ?? []) : []));
    const kept = {
      token: await this.tokens.unrevoked(idsOf('token')),
      grant: await this.grants.unrevoked(idsOf('grant')),
    };
    return rights.filter(({ kind, id }) => (kind === 'token' || kind === 'grant') && !kept[kind].has(id ?? ''));
  }

  /** Why a right to deploy to the site has ended, according to the site’s state or the tables; null if it has not. */
  async whyEnded(site: Site, right: JobRight): Promise<RightEnd | null> {
    return whyRightEnded(site, right) ?? (await this.whyRevoked(right));
  }

  /** Why the token or app that acts for the caller can't do so on any site; null if it can, or if there is none. */
  async whyDelegationEnded({ delegation }: Caller): Promise<RightEnd | null> {
    if (!delegation) return null;
    // A publisher's token ends with the publisher.
    return delegation.kind === 'token' && delegation.publisherId !== null
      ? this.whyRevoked({ kind: 'token', id: delegation.id })
      : this.whyRevoked(toJobCredential(delegation, ''));
  }

  /** Why the token or grant of a right no longer exists; null if it does, and for other kinds of rights. */
  async whyRevoked(right: Pick<JobRight, 'kind' | 'id'>): Promise<RightEnd | null> {
    const [revoked] = await this.among([right]);
    if (!revoked) return null;
    return revoked.kind === 'grant' ? 'grant_revoked' : 'token_revoked';
  }
}
