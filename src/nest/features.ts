import type { ModuleMetadata, Provider, Type } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import { type Table, TableContext } from '../storage/tables/table.js';
import { findDeclared } from './declarations.js';
import { type BackgroundLoop, DeclaredLoops, type Running } from './loops.js';
import type { McpTool } from './mcp-tool.js';
import { provide } from './provide.js';
import { TableFactory } from './tables.js';

/**
 * The parts of one feature that clients can use: routes, command handlers, providers, agent tools, tables and
 * background loops.
 */
export type Feature = {
  readonly routes?: readonly Type[];
  readonly handlers?: readonly Type[];
  readonly providers?: readonly Provider[];
  readonly tools?: readonly McpTool[];
  readonly tables?: readonly Table[];
  readonly loops?: readonly BackgroundLoop[];
};

/** The agent tools of one module. `offeredTools` collects those of all modules. */
export class OfferedTools {
  constructor(readonly tools: readonly McpTool[]) {}
}

/** Returns the tools of all modules, sorted by `needs` and name. Throws if two tools have the same name. */
export function offeredTools(discovery: DiscoveryService): readonly McpTool[] {
  const tools = findDeclared(discovery, OfferedTools).flatMap((offer) => offer.tools);
  const twice = tools.find(({ name }, at) => tools.findIndex((other) => other.name === name) !== at);
  if (twice) throw new Error(`Two features define a tool named ${twice.name}.`);
  return tools.sort((a, b) => NEEDS.indexOf(a.needs) - NEEDS.indexOf(b.needs) || (a.name < b.name ? -1 : 1));
}

const NEEDS = ['nobody', 'token', 'person'];

/**
 * Returns the Nest metadata of a module with these features. The classes of loops and tables need not be listed as
 * providers.
 */
export function features(...all: readonly Feature[]): ModuleMetadata {
  const loops = all.flatMap((feature) => [...(feature.loops ?? [])]);
  const tables = all.flatMap((feature) => [...(feature.tables ?? [])]);
  const providers = new Set<Provider>(
    all.flatMap(({ handlers = [], providers: others = [] }) => [...handlers, ...others]),
  );
  for (const { run } of loops) providers.add(run);
  return {
    controllers: all.flatMap(({ routes = [] }) => [...routes]),
    providers: [
      ...providers,
      ...tables.map(({ access, open }) => provide<object, [typeof TableContext]>(access, [TableContext], open)),
      new TableFactory(tables),
      { provide: OfferedTools, useValue: new OfferedTools(all.flatMap(({ tools = [] }) => [...tools])) },
      {
        provide: DeclaredLoops,
        inject: loops.map(({ run }) => run),
        useFactory: (...running: Running[]) => new DeclaredLoops(loops, running),
      },
    ],
  };
}
