import type { ModuleMetadata, Provider, Type } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import type { AgentTool } from './agent-tool.js';

/** One thing a client can do: its routes, the handlers of its commands, what these need, and the tools that agents have of it. */
export type Feature = {
  readonly routes: readonly Type[];
  readonly handlers?: readonly Type[];
  readonly providers?: readonly Provider[];
  readonly tools?: readonly AgentTool[];
};

/** The tools of one module; `offeredTools` finds those of all modules. */
export class OfferedTools {
  constructor(readonly tools: readonly AgentTool[]) {}
}

/** The tools of all modules, those first that any caller may use, by name. Throws where two have one name. */
export function offeredTools(discovery: DiscoveryService): readonly AgentTool[] {
  const offers = discovery.getProviders().map(({ instance }): unknown => instance);
  const tools = offers.flatMap((offer) => (offer instanceof OfferedTools ? [...offer.tools] : []));
  const twice = tools.find(({ name }, at) => tools.findIndex((other) => other.name === name) !== at);
  if (twice) throw new Error(`Two features define a tool named ${twice.name}.`);
  return tools.sort((a, b) => NEEDS.indexOf(a.needs) - NEEDS.indexOf(b.needs) || (a.name < b.name ? -1 : 1));
}

const NEEDS = ['nobody', 'token', 'person'];

/** Makes a module out of the features it offers, so that the module reads as their list. */
export const features = (...all: readonly Feature[]): ModuleMetadata => ({
  controllers: all.flatMap(({ routes }) => [...routes]),
  providers: [
    ...all.flatMap(({ handlers = [], providers = [] }) => [...handlers, ...providers]),
    { provide: OfferedTools, useValue: new OfferedTools(all.flatMap(({ tools = [] }) => [...tools])) },
  ],
});
