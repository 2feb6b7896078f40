import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../../../kernel/refusal.js';
import { workDone } from '../../../kernel/work-done.js';
import { readRouteOptions } from '../api/route-options.js';
import { readCaller } from '../auth/context.js';
import type { ProbeToken } from '../auth/strategies/probe-token.js';
import { type ClientAddress, computeNetwork } from './client-address.js';
import type { Idempotency } from './idempotency.js';
import type { RateLimits, RateStanding } from './rate-limits.js';
import { rateText } from './rate-text.js';
import type { Rate } from './rates.js';

/**
 * A refused request does not count if its body and the work for it (`addWork`) amount to at most this many bytes. A
 * larger request counts, because it costs as much as a deploy.
 */
const SMALL = 65_536;

/** Statuses of refusals that don't count. Otherwise, callers without access could use up a site's limit. */
const NOT_THEIRS = new Set([401, 403, 404]);

type TakenRate = { readonly rate: Rate; readonly key: string; readonly standing: RateStanding };

/**
 * Counts each request against the route’s rate limit before its body is read, and refuses it with `rate_limited` (429)
 * if the limit has been reached. Subtracts the request again if its response shows that it should not count (`isFree`).
 * Retries of completed writes and requests of the service’s own probe are exempt.
 */
export function installRateLimits(
  instance: FastifyInstance,
  limits: RateLimits,
  clientAddress: ClientAddress,
  idempotency: Idempotency,
  probe: ProbeToken,
) {
  if (!limits.enforced) return;
  const takenRates = new WeakMap<FastifyRequest, readonly TakenRate[]>();

  instance.addHook('onRequest', async (request, reply) => {
    if (probe.isSentWith(request)) return;
    const taken: TakenRate[] = [];
    for (const rate of ratesFor(request)) {
      const key = keyOf(rate, request, clientAddress);
      if (key === null) continue;
      const standing = await limits.take(rate, key);
      if (standing.taken) {
        taken.push({ rate, key, standing });
        continue;
      }
      for (const other of taken) await limits.giveBack(other.rate, other.key);
      if (await idempotency.isAnswered(request).catch(() => false)) return;
      setRateHeaders(reply, [{ rate, standing }]);
      void reply.header('retry-after', String(standing.resetSeconds));
      refuse('rate_limited', rateText(rate));
    }
    if (taken.length === 0) return;
    // Set the rate limit headers now, because `onSend` hooks do not run for handlers that respond themselves.
    setRateHeaders(reply, taken);
    takenRates.set(request, taken);
  });

  instance.addHook('onSend', async (request, reply) => {
    const taken = takenRates.get(request) ?? [];
    takenRates.delete(request);
    if (taken.length === 0) return;
    const counted = taken.map(async ({ rate, key, standing }) => {
      return { rate, standing: isFree(rate, request, reply) ? await limits.giveBack(rate, key) : standing };
    });
    setRateHeaders(reply, await Promise.all(counted));
  });
}

function ratesFor(request: FastifyRequest): readonly Rate[] {
  const { rate } = readRouteOptions(request.routeOptions);
  if (!rate) return [];
  const { userId, editTokenHash } = readCaller(request);
  const first = (userId !== null && rate.signedIn) || rate;
  const isAnonymous = userId === null || editTokenHash !== null;
  return isAnonymous && first.anonymous ? [first, first.anonymous] : [first];
}

/** Returns the key under which a request is counted, or null if the request names no valid site. */
function keyOf(rate: Rate, request: FastifyRequest, clientAddress: ClientAddress): string | null {
  if (rate.per === 'user') return readCaller(request).userId;
  if (rate.per === 'address') return computeNetwork(clientAddress.addressOf(request.raw));
  const inPath = request.params as { readonly slug?: unknown };
  const { slug } = inPath.slug === undefined ? (request.query as { readonly slug?: unknown }) : inPath;
  return typeof slug === 'string' && slug.length <= 48 ? slug : null;
}

/**
 * Reports whether a request does not count. For most rates, these are requests with server errors, replayed responses,
 * refusals for lack of access, and refusals of a small body that caused little work.
 */
function isFree({ counts }: Rate, request: FastifyRequest, reply: FastifyReply): boolean {
  const { statusCode: status } = reply;
  if (counts === 'failures') return status < 400 || status >= 500;
  if (counts === 'work') return status === 400 || status >= 500;
  if (status >= 500 || reply.hasHeader('idempotency-replayed')) return true;
  return status >= 400 && (NOT_THEIRS.has(status) || isSmall(request));
}

function isSmall({ headers, raw }: FastifyRequest): boolean {
  if (headers['transfer-encoding'] !== undefined) return false;
  return Number(headers['content-length'] ?? 0) + workDone(raw) <= SMALL;
}

/**
 * Sets the headers of draft-ietf-httpapi-ratelimit-headers-10: the limit is `q` requests in `w` seconds, `r` are left,
 * and all are available again after `t` seconds.
 */
export function setRateHeaders(reply: FastifyReply, counted: readonly Pick<TakenRate, 'rate' | 'standing'>[]) {
  const policies = counted.map(({ rate: { name, limit, seconds } }) => `"${name}";q=${limit};w=${seconds}`);
  const standings = counted.map(
    ({ rate: { name }, standing: { remaining, resetSeconds } }) => `"${name}";r=${remaining};t=${resetSeconds}`,
  );
  void reply.headers({ 'ratelimit-policy': policies.join(', '), ratelimit: standings.join(', ') });
}
