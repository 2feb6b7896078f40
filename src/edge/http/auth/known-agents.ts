import { Inject, Injectable } from '@nestjs/common';
import { type Agent, ConnectorTokens, TOKEN_REVOKED } from '../../../accounts/tokens/connector-tokens.js';
import { ConnectorSites } from '../../../kernel/ports/connector-sites.js';
import { WakeUps } from '../../../kernel/ports/wake-ups.js';

/** Lifetime of a cache entry in milliseconds, in case the notification of a revocation is lost. */
const REMEMBERED_MS = 5_000;
const MOST = 10_000;

/**
 * Caches agents by the hashes of their tokens for a short time, since each piece of work takes two requests. A revoked
 * token is useless immediately: taking work and returning results check it again.
 */
@Injectable()
export class KnownAgents {
  readonly #known = new Map<string, { readonly agent: Agent; readonly until: number }>();

  constructor(
    @Inject(ConnectorTokens) private readonly tokens: ConnectorTokens,
    @Inject(ConnectorSites) private readonly sites: ConnectorSites,
    @Inject(WakeUps) wakeUps: WakeUps,
  ) {
    wakeUps.listen(TOKEN_REVOKED, () => this.#known.clear());
  }

  /**
   * The agent with this token; null if the token is unknown or revoked. The event log decides, because after a crash
   * the row of a revoked token may still exist.
   */
  async find(tokenHash: string): Promise<Agent | null> {
    const known = this.#known.get(tokenHash);
    if (known && known.until > performance.now()) return known.agent;
    const agent = await this.#findUsable(tokenHash);
    if (this.#known.size >= MOST) this.#known.clear();
    if (agent) this.#known.set(tokenHash, { agent, until: performance.now() + REMEMBERED_MS });
    else this.#known.delete(tokenHash);
    return agent;
  }

  async #findUsable(tokenHash: string): Promise<Agent | null> {
    const agent = await this.tokens.find(tokenHash);
    return agent && (await this.sites.canUseToken(agent.siteId, agent.tokenId)) ? agent : null;
  }
}
