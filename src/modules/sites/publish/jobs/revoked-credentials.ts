import { Inject, Injectable } from '@nestjs/common';
import { AgentGrantsTable } from '../../../../accounts/grants/agent-grants.js';
import { AccessTokens } from '../../../../accounts/tokens/access-tokens.js';
import type { Caller } from '../../../../kernel/command-context.js';
import { type JobRight, type RightEnd } from '../../../../kernel/rights/job-right.js';
import type { Site } from '../../site/site.state.js';
import { credentialOf, whyRightEnded } from './job-right.decide.js';

/** Finds out which access tokens and grants were revoked. The tables know it: no event is recorded for most of them. */
@Injectable()
export class RevokedCredentials {
  constructor(
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
    @Inject(AgentGrantsTable) private readonly grants: AgentGrantsTable,
  ) {}

  /** Of these rights, those whose token or grant was revoked. */
  async among<Right extends Pick<JobRight, 'kind' | 'id'>>(rights: readonly Right[]): Promise<readonly Right[]> {
    const idsOf = (wanted: JobRight['kind']) => rights.flatMap(({ kind, id }) => (kind === wanted ? (id ?? []) : []));
    const kept = {
      token: await this.tokens.unrevoked(idsOf('token')),
      grant: await this.grants.unrevoked(idsOf('grant')),
    };
    return rights.filter(({ kind, id }) => (kind === 'token' || kind === 'grant') && !kept[kind].has(id ?? ''));
  }

  /** Why a right to deploy to the site has ended, by the site’s state or by the tables; null if it has not. */
  async whyEnded(site: Site, right: JobRight): Promise<RightEnd | null> {
    return whyRightEnded(site, right) ?? (await this.whyRevoked(right));
  }

  /** Why what acts for the caller can no longer do so on any site; null if it can, or if they act themselves. */
  async whyDelegationEnded({ delegation }: Caller): Promise<RightEnd | null> {
    if (!delegation) return null;
    // The token of a publisher ends with it.
    return delegation.kind === 'token' && delegation.publisherId !== null
      ? this.whyRevoked({ kind: 'token', id: delegation.id })
      : this.whyRevoked(credentialOf(delegation, ''));
  }

  /** Why the token or grant of a right no longer exists; null if it does, and for other rights. */
  async whyRevoked(right: Pick<JobRight, 'kind' | 'id'>): Promise<RightEnd | null> {
    const [revoked] = await this.among([right]);
    if (!revoked) return null;
    return revoked.kind === 'grant' ? 'grant_revoked' : 'token_revoked';
  }
}
