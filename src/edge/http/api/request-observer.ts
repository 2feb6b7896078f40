import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * A finished request, for metrics. Each field has few possible values, so callers cannot make the number of metrics
 * grow.
 */
export type ObservedRequest = {
  readonly method: string;
  /** The pattern of the route, such as `/v1/sites/:slug`; `none` if no route matched. */
  readonly route: string;
  /** The status code; `closed` if the client disconnected before the response was complete. */
  readonly status: string;
  readonly seconds: number;
};

/** Called once for each API request, after its response. Must not throw or wait. */
export type ObserveRequest = (request: ObservedRequest) => void;

const known = new Set(METHODS);

export function observeRequests(instance: FastifyInstance, observe: ObserveRequest) {
  instance.addHook('onResponse', async ({ method, routeOptions }, reply) => {
    observe({
      method: known.has(method) ? method : 'other',
      route: routeOptions.url ?? 'none',
      status: reply.raw.writableFinished ? String(reply.statusCode) : 'closed',
      seconds: reply.elapsedTime / 1_000,
    });
  });
}
