import { Injectable } from '@nestjs/common';
import { OAuthGrants } from '../../../../accounts/grants/oauth-grants.js';
import { AccessTokenStore } from '../../../../accounts/tokens/access-tokens.js';
import type { Caller } from '../../../../kernel/command-context.js';
import { type JobRight, type RightEnd } from '../../../../kernel/rights/job-right.js';
import type { Site } from '../../site/state/site.state.js';
import { toJobCredential, whyRightEnded } from './job-right.rule.js';

/**
 * Looks up in the database which tokens and grants were revoked, because most revocations are not recorded as events.
 */
@Injectable()
export class RevokedCredentials {
  constructor(
    private readonly tokens: AccessTokenStore,
    private readonly grants: OAuthGrants,
  ) {}

  /** Returns those of the given rights whose token or grant was revoked. */
  async among<Right extends Pick<JobRight, 'kind' | 'id'>>(rights: readonly Right[]): Promise<readonly Right[]> {
    const idsOf = (wanted: JobRight['kind']) => rights.flatMap(({ kind, id }) => (kind === wanted ? (id ?? []) : []));
    const kept = {
      token: await this.tokens.unrevoked(idsOf('token')),
      grant: await this.grants.unrevoked(idsOf('grant')),
    };
    return rights.filter(({ kind, id }) => (kind === 'token' || kind === 'grant') && !kept[kind].has(id ?? ''));
  }

  /**
   * Returns why a right to deploy the site has ended, or null if it is still valid. Checks both the site's state and
   * the tables of tokens and grants.
   */
  async whyEnded(site: Site, right: JobRight): Promise<RightEnd | null> {
    return whyRightEnded(site, right) ?? (await this.whyRevoked(right));
  }

  /**
   * Returns why the token or app that acts for the caller can no longer act on any site. Returns null if it still can,
   * or if no token or app acts for the caller.
   */
  async whyDelegationEnded({ delegation }: Caller): Promise<RightEnd | null> {
    if (!delegation) return null;
    // A publisher's token ends when the publisher is removed.
    return delegation.kind === 'token' && delegation.publisherId !== null
      ? this.whyRevoked({ kind: 'token', id: delegation.id })
      : this.whyRevoked(toJobCredential(delegation, ''));
  }

  /**
   * Returns why the token or grant that a right depends on no longer exists. Returns null if it exists, or if the right
   * depends on no token or grant.
   */
  async whyRevoked(right: Pick<JobRight, 'kind' | 'id'>): Promise<RightEnd | null> {
    const [revoked] = await this.among([right]);
    if (!revoked) return null;
    return revoked.kind === 'grant' ? 'grant_revoked' : 'token_revoked';
  }
}
