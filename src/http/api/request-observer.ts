import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** A request that was answered. Every field has few values: none is written by the caller. */
export type SeenRequest = {
  readonly method: string;
  /** The route's pattern, `/v1/sites/:slug`; `none` where no route took it. */
  readonly route: string;
  /** `closed` when the caller left before the answer was whole. */
  readonly status: string;
  readonly seconds: number;
};

/** Hears of each request to the API, once. It must not throw, and must not wait. */
export abstract class RequestsSeen {
  abstract saw(request: SeenRequest): void;
}

const known = new Set(METHODS);

export function tellOfRequests(instance: FastifyInstance, seen: RequestsSeen) {
  instance.addHook('onResponse', async ({ method, routeOptions }, reply) => {
    seen.saw({
      method: known.has(method) ? method : 'other',
      route: routeOptions.url ?? 'none',
      status: reply.raw.writableFinished ? String(reply.statusCode) : 'closed',
      seconds: reply.elapsedTime / 1_000,
    });
  });
}
