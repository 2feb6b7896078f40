import type { DiscoveryService } from '@nestjs/core';

/** Returns all providers that are instances of `Kind`. Must be called after all providers have been created. */
export const findDeclared = <Kind>(
  discovery: DiscoveryService,
  Kind: abstract new (...given: never[]) => Kind,
): readonly Kind[] =>
  discovery
    .getProviders()
    .map(({ instance }): unknown => instance)
    .filter((instance): instance is Kind => instance instanceof Kind);
