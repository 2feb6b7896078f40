import type { DiscoveryService } from '@nestjs/core';

/** A provider or controller that keeps callers waiting. They get a response when the process begins to stop. */
export type PreparesToStop = {
  /** Responds to all waiting callers, and accepts no further callers. */
  prepareToStop(): void | Promise<void>;
};

/** A provider or controller with requests in progress that the HTTP server does not track. */
export type FinishesRequests = {
  /** Resolves when no requests are in progress, or after `withinMs` milliseconds. */
  finishRequests(withinMs: number): Promise<void>;
};

export async function prepareToStop(discovery: DiscoveryService): Promise<void> {
  await Promise.all(
    findInstances(discovery, (instance): instance is PreparesToStop => hasMethod(instance, 'prepareToStop')).map(
      (instance) => instance.prepareToStop(),
    ),
  );
}

export async function finishRequests(discovery: DiscoveryService, withinMs: number): Promise<void> {
  await Promise.all(
    findInstances(discovery, (instance): instance is FinishesRequests => hasMethod(instance, 'finishRequests')).map(
      (instance) => instance.finishRequests(withinMs),
    ),
  );
}

/** Returns each instance once, even if several tokens provide it. */
function findInstances<Kind extends object>(
  discovery: DiscoveryService,
  isKind: (instance: object) => instance is Kind,
): readonly Kind[] {
  const instances = [...discovery.getProviders(), ...discovery.getControllers()].map(
    ({ instance }): unknown => instance,
  );
  return [...new Set(instances)].filter(
    (instance): instance is Kind => typeof instance === 'object' && instance !== null && isKind(instance),
  );
}

const hasMethod = (instance: object, name: string) =>
  name in instance && typeof (instance as Record<string, unknown>)[name] === 'function';
