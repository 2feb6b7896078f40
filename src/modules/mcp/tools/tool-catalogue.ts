import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { offeredTools } from '../../../nest/features.js';
import type { McpTool } from '../../../nest/mcp-tool.js';
import { type ListedTool, listed } from './listed-tool.js';

export type CatalogueEntry = { readonly tool: McpTool; readonly listing: ListedTool };

/** Creates the listing of a tool at its first use, because creating all JSON Schemas would slow down every start. */
class Entry implements CatalogueEntry {
  #listing: ListedTool | null = null;

  constructor(readonly tool: McpTool) {}

  get listing(): ListedTool {
    this.#listing ??= listed(this.tool);
    return this.#listing;
  }
}

@Injectable()
export class ToolCatalogue implements OnModuleInit {
  readonly #entries = new Map<string, CatalogueEntry>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit() {
    for (const tool of offeredTools(this.discovery)) this.#entries.set(tool.name, new Entry(tool));
  }

  find(name: unknown): CatalogueEntry | null {
    return (typeof name === 'string' && this.#entries.get(name)) || null;
  }

  /** Returns the listings of all tools. Those that require no sign-in come first. */
  listings(): ListedTool[] {
    return [...this.#entries.values()].map(({ listing }) => listing);
  }
}
