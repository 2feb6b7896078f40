import { Inject, Injectable } from '@nestjs/common';
import { AgentGrantsTable } from '../../../../accounts/grants/agent-grants.js';
import { AccessTokens } from '../../../../accounts/tokens/access-tokens.js';
import type { JobRight } from '../../../../kernel/rights/job-right.js';

/** Finds out which access tokens and grants were revoked. The tables know it: no event is recorded for most of them. */
@Injectable()
export class RevokedCredentials {
  constructor(
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
    @Inject(AgentGrantsTable) private readonly grants: AgentGrantsTable,
  ) {}

  /** Of these rights, those whose token or grant was revoked. */
  async among<Right extends JobRight>(rights: readonly Right[]): Promise<readonly Right[]> {
    const idsOf = (wanted: JobRight['kind']) => rights.flatMap(({ kind, id }) => (kind === wanted ? (id ?? []) : []));
    const kept = {
      token: await this.tokens.unrevoked(idsOf('token')),
      grant: await this.grants.unrevoked(idsOf('grant')),
    };
    return rights.filter(({ kind, id }) => (kind === 'token' || kind === 'grant') && !kept[kind].has(id ?? ''));
  }
}
