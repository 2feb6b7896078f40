import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { AgentTool } from '../../../process/nest/agent-tool.js';
import { OfferedTools } from '../../../process/nest/features.js';
import { type ListedTool, listed } from './listed-tool.js';

/** A tool, and how it is told of. */
export type CatalogueEntry = { readonly tool: AgentTool; readonly listing: ListedTool };

/** All tools that the modules of this process offer, by name. */
@Injectable()
export class ToolCatalogue implements OnModuleInit {
  readonly #entries = new Map<string, CatalogueEntry>();

  constructor(@Inject(DiscoveryService) private readonly discovery: DiscoveryService) {}

  onModuleInit() {
    const offers = this.discovery.getProviders().map(({ instance }): unknown => instance);
    const tools = offers.flatMap((offer) => (offer instanceof OfferedTools ? [...offer.tools] : []));
    for (const tool of tools.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (this.#entries.has(tool.name)) throw new Error(`Two slices offer a tool called ${tool.name}.`);
      this.#entries.set(tool.name, { tool, listing: listed(tool) });
    }
  }

  find(name: unknown): CatalogueEntry | null {
    return (typeof name === 'string' && this.#entries.get(name)) || null;
  }

  /** Sorted by name. */
  listings(): ListedTool[] {
    return [...this.#entries.values()].map(({ listing }) => listing);
  }
}
