import { type Agent, type ConnectorTokenStore, TOKEN_REVOKED } from '../../../accounts/tokens/connector-tokens.js';
import type { WakeUps } from '../../../kernel/ports/wake-ups.js';

/** Lifetime of a cache entry. It limits the effect of a lost notification about a revocation. */
const REMEMBERED_MS = 5_000;
const MAX_AGENTS = 10_000;

/**
 * Briefly caches agents by the hashes of their tokens, because each work item takes two requests. A revocation is
 * effective immediately, because assigning work and accepting results check the token again.
 */
export class KnownAgents {
  readonly #known = new Map<string, { readonly agent: Agent; readonly until: number }>();

  constructor(
    private readonly tokens: ConnectorTokenStore,
    /** Checks the event log, because after a crash, the token table might still contain a token that was revoked. */
    private readonly canUseToken: (siteId: string, tokenId: string) => Promise<boolean>,
    wakeUps: WakeUps,
  ) {
    wakeUps.listen(TOKEN_REVOKED, () => this.#known.clear());
  }

  async find(tokenHash: string): Promise<Agent | null> {
    const known = this.#known.get(tokenHash);
    if (known && known.until > performance.now()) return known.agent;
    const agent = await this.#findUsable(tokenHash);
    if (this.#known.size >= MAX_AGENTS) this.#known.clear();
    if (agent) this.#known.set(tokenHash, { agent, until: performance.now() + REMEMBERED_MS });
    else this.#known.delete(tokenHash);
    return agent;
  }

  async #findUsable(tokenHash: string): Promise<Agent | null> {
    const agent = await this.tokens.find(tokenHash);
    return agent && (await this.canUseToken(agent.siteId, agent.tokenId)) ? agent : null;
  }
}
