import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Attempt, IdempotencyKeys, type KeyedRequest } from '../../../accounts/idempotency/idempotency-keys.js';
import type { Reservation } from '../../../accounts/idempotency/reservation.js';
import type { Caller, CommandContext } from '../../../kernel/command-context.js';
import { leftToLease } from '../../../kernel/faults/ignored-fault.js';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { readRouteOptions } from '../api/route-options.js';
import { readCaller } from '../auth/context.js';
import { ClientAddress } from './client-address.js';

export type IdempotentWrite<Ids> = {
  /** True if the response to an anonymous caller contains the edit token of a new site. */
  readonly returnsEditToken?: true;
  /** Generates the values that a retry after a crash must reuse: IDs, secrets and the time. */
  readonly makeIds: () => Ids;
  /**
   * Reads the body of a repeated request and returns its fingerprint, which does not depend on the body's format.
   * Called only if the response to the first request is stored.
   */
  readonly readFingerprint: () => Promise<string>;
  /**
   * Performs the write, unless the IDs show that an earlier attempt has already performed it. Returns the response, and
   * the fingerprint that `readFingerprint` would return.
   */
  readonly execute: (ids: Ids, attempt: Attempt) => Promise<WriteResponse & { readonly fingerprint: string }>;
};

export type WriteResponse = { readonly body: unknown; readonly headers: Record<string, string> };

const KEPT_STATUS = 200;

/**
 * Performs a write once per `Idempotency-Key`, and sends the same response to every retry
 * (docs/interface/conventions.md, "Retry safety").
 */
@Injectable()
export class Idempotency {
  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly clientAddress: ClientAddress,
  ) {}

  /**
   * Returns the body to send, and sets the reply's headers. `ticket` is the ID of a permission to perform the write
   * once. If given, it is used instead of the request's key, no matter who sends the request.
   */
  async run<Ids>(
    request: FastifyRequest,
    reply: FastifyReply,
    context: CommandContext,
    write: IdempotentWrite<Ids>,
    ticket: string | null = null,
  ) {
    const written = await this.#written(request, reply, context, write, ticket);
    void reply.headers(written.headers);
    return written.body;
  }

  /** Reports whether a response to this request is already stored. If so, repeating the request changes nothing. */
  async isAnswered(request: FastifyRequest): Promise<boolean> {
    if (request.headers['idempotency-key'] === undefined) return false;
    return this.keys.isAnswered(this.#keyed(request, readCaller(request), keyOf(request) ?? ''));
  }

  async #written<Ids>(
    request: FastifyRequest,
    reply: FastifyReply,
    { caller }: CommandContext,
    write: IdempotentWrite<Ids>,
    ticket: string | null,
  ): Promise<WriteResponse> {
    const key = ticket ?? keyOf(request);
    if (key === null) return write.execute(write.makeIds(), 'first');

    const isAnonymous = caller.userId === null && caller.editTokenHash === null;
    if (ticket === null && isAnonymous && write.returnsEditToken) assertUnguessable(key);

    const keyed = this.#keyed(request, caller, key);
    const reserved = await this.keys.reserve(ticket === null ? keyed : { ...keyed, caller: ticket }, write.makeIds);
    if (reserved.kind === 'go') return this.#keep(reserved.reservation, reserved.attempt, write);

    if ((await write.readFingerprint()) !== reserved.fingerprint)
      refuse(
        'idempotency_key_reused',
        ticket === null
          ? 'This idempotency key was already used with a different body.'
          : 'This prepared URL was already used with a different body.',
        [],
        ticket === null ? {} : { suggestion: 'Request a new URL: POST /v1/deploy/prepared.' },
      );
    void reply.header('idempotency-replayed', 'true');
    return reserved.answer;
  }

  #keyed = (request: FastifyRequest, { userId, editTokenHash }: Caller, key: string): KeyedRequest => ({
    caller: userId ?? editTokenHash ?? this.clientAddress.addressOf(request.raw),
    userId,
    key,
    // Sites’ hosts have the same paths for their own resources, so the host distinguishes their requests.
    route: `${request.method} ${readRouteOptions(request.routeOptions).siteHost ? request.host : ''}${request.url}`,
  });

  async #keep<Ids>(
    reservation: Reservation<Ids>,
    attempt: Attempt,
    write: IdempotentWrite<Ids>,
  ): Promise<WriteResponse> {
    try {
      const { fingerprint, ...response } = await write.execute(reservation.ids, attempt);
      // If the response cannot be stored, the next attempt rebuilds it from the IDs.
      const keeping = reservation.keep(fingerprint, { status: KEPT_STATUS, ...response });
      await keeping.catch(() => reservation.letGo().catch(leftToLease));
      return response;
    } catch (error) {
      // A refusal recorded nothing, so the key may be used again. After any other error, the write might have been
      // performed. If releasing the reservation fails, it ends when its lease expires.
      const over = error instanceof Refusal ? reservation.release() : reservation.letGo();
      await over.catch(leftToLease);
      throw error;
    }
  }
}

function keyOf({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || key.length < 8 || key.length > 255) {
    return refuseInvalid({ path: 'idempotency-key', message: 'must have 8 to 255 characters' });
  }
  return key;
}

/** Matches a UUID, or at least 128 bits in hexadecimal or base64url. */
const UNGUESSABLE = /^[A-Za-z0-9_-]{22,}$/;

/**
 * Requires an unguessable key, because anonymous callers are identified only by their network: anyone in the network
 * who knows the key could repeat the request and get the edit token.
 */
function assertUnguessable(key: string): void {
  if (UNGUESSABLE.test(key)) return;
  refuseInvalid({
    path: 'idempotency-key',
    message:
      'must be a UUID or at least 22 random base64url or hexadecimal characters if an anonymous request creates a site. The response contains the edit token, so the key must be impossible to guess',
  });
}
