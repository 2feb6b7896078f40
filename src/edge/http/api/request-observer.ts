import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** A finished request, for metrics. Every field has few possible values, none of them chosen by the caller. */
export type ObservedRequest = {
  readonly method: string;
  /** The pattern of the route, such as `/v1/sites/:slug`; `none` if no route matched. */
  readonly route: string;
  /** The status code; `closed` if the client disconnected before the response was complete. */
  readonly status: string;
  readonly seconds: number;
};

/** Called once for each API request, after its response. Must neither throw nor block. */
export abstract class RequestObserver {
  abstract observe(request: ObservedRequest): void;
}

const known = new Set(METHODS);

/** Reports every finished request to the observer. */
export function observeRequests(instance: FastifyInstance, observer: RequestObserver) {
  instance.addHook('onResponse', async ({ method, routeOptions }, reply) => {
    observer.observe({
      method: known.has(method) ? method : 'other',
      route: routeOptions.url ?? 'none',
      status: reply.raw.writableFinished ? String(reply.statusCode) : 'closed',
      seconds: reply.elapsedTime / 1_000,
    });
  });
}
