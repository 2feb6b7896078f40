import { Inject, Injectable } from '@nestjs/common';
import { type Agent, ConnectorTokens, TOKEN_REVOKED } from '../../../accounts/tokens/connector-tokens.js';
import { ConnectorSites } from '../../../kernel/ports/connector-sites.js';
import { WakeUps } from '../../../kernel/ports/wake-ups.js';

/** How long an agent is remembered where it was not heard that its token was revoked. Milliseconds. */
const REMEMBERED_MS = 5_000;
const MOST = 10_000;

/**
 * Agents by the hashes of their tokens, remembered for a moment: each piece of work is two requests. A token that was
 * revoked is good for nothing at once all the same: what it takes or answers is checked where the work is.
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
   * The agent whose token it is; null for one that is unknown or has ended. The log decides: a crash may have left the row
   * of a token whose end is recorded.
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
