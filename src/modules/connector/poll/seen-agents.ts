import { Inject, Injectable } from '@nestjs/common';
import { type Agent, ConnectorTokens } from '../../../tables/connector/connector-tokens.js';

/** How exactly it is known when an agent was seen, in milliseconds. */
const EXACTLY_MS = 5_000;

/** When each agent was seen last, for the site's owner, and for callers who would wait for none. */
@Injectable()
export class SeenAgents {
  /** By token, by `performance.now()`; of this process. */
  readonly #seenAt = new Map<string, number>();

  constructor(@Inject(ConnectorTokens) private readonly tokens: ConnectorTokens) {}

  /** The agent asks for work, or has just got some. */
  async see({ tokenId }: Agent): Promise<void> {
    const now = performance.now();
    const seenAt = this.#seenAt.get(tokenId);
    if (seenAt !== undefined && now - seenAt < EXACTLY_MS) return;
    if (this.#seenAt.size > 10_000) this.#seenAt.clear();
    this.#seenAt.set(tokenId, now);
    await this.tokens.polled(tokenId);
  }
}
