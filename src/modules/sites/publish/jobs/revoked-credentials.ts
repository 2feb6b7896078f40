import { Injectable } from '@nestjs/common';
import { AgentGrantsTable } from '../../../../accounts/grants/agent-grants.js';
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
    private readonly grants: AgentGrantsTable,
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
   * Returns why the caller's token or app can no longer act on any site, or null if it still can. Also returns null if
   * the caller uses neither.
   */
  async whyDelegationEnded({ delegation }: Caller): Promise<RightEnd | null> {
    if (!delegation) return null;
    // A publisher's token ends when the publisher is removed.
    return delegation.kind === 'token' && delegation.publisherId !== null
      ? this.whyRevoked({ kind: 'token', id: delegation.id })
      : this.whyRevoked(toJobCredential(delegation, ''));
  }

  /**
   * Returns why the token or grant behind a right no longer exists, or null if it exists. Also returns null if the
   * right depends on neither.
   */
  async whyRevoked(right: Pick<JobRight, 'kind' | 'id'>): Promise<RightEnd | null> {
    const [revoked] = await this.among([right]);
    if (!revoked) return null;
    return revoked.kind === 'grant' ? 'grant_revoked' : 'token_revoked';
  }
}
