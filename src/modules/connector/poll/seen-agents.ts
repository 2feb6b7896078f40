import { Injectable } from '@nestjs/common';
import { type Agent, ConnectorTokenStore, TOKEN_REVOKED } from '../../../accounts/tokens/connector-tokens.js';
import { WakeUps } from '../../../kernel/ports/wake-ups.js';

/** Accuracy, in milliseconds, of the recorded time at which an agent was last seen. It limits database writes. */
const EXACTLY_MS = 5_000;

type Seen = { readonly siteId: string; readonly at: number };

/** Records when each agent was last seen, for site owners and for callers that would otherwise wait in vain. */
@Injectable()
export class SeenAgents {
  /** When this process last saw each agent (`performance.now()`), by token. */
  readonly #seen = new Map<string, Seen>();
  /** The most recently seen token of each site. */
  readonly #last = new Map<string, string>();

  constructor(
    private readonly tokens: ConnectorTokenStore,
    wakeUps: WakeUps,
  ) {
    wakeUps.listen(TOKEN_REVOKED, (tokenId) => {
      if (tokenId !== null) this.#seen.delete(tokenId);
      else this.#seen.clear();
    });
  }

  async see({ tokenId, siteId }: Agent): Promise<void> {
    const now = performance.now();
    const seen = this.#seen.get(tokenId);
    if (seen !== undefined && now - seen.at < EXACTLY_MS) return;
    if (this.#seen.size > 10_000) {
      this.#seen.clear();
      this.#last.clear();
    }
    this.#seen.set(tokenId, { siteId, at: now });
    this.#last.set(siteId, tokenId);
    await this.tokens.polled(tokenId);
  }

  /** Considers only polls that this process received. The site's agents may also poll other processes. */
  hasJustSeenOneOf(siteId: string): boolean {
    const seen = this.#seen.get(this.#last.get(siteId) ?? '');
    return seen !== undefined && performance.now() - seen.at < 2 * EXACTLY_MS;
  }
}
