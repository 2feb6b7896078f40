import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** An answered request, for metrics. Every field has few possible values: none is chosen by the caller. */
export type ObservedRequest = {
  readonly method: string;
  /** The pattern of the route, such as `/v1/sites/:slug`; `none` if no route matched. */
  readonly route: string;
  /** The status code; `closed` if the caller hung up before the response was complete. */
  readonly status: string;
  readonly seconds: number;
};

/** Is called once for each request to the API, after its response. It must neither throw nor wait. */
export abstract class RequestObserver {
  abstract observe(request: ObservedRequest): void;
}

const known = new Set(METHODS);

/** Reports every answered request to the observer. */
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
