import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Attempt, IdempotencyKeys, type KeyedRequest } from '../../../accounts/idempotency/idempotency-keys.js';
import type { Reservation } from '../../../accounts/idempotency/reservation.js';
import type { Caller, CommandContext } from '../../../kernel/command-context.js';
import { leftToLease } from '../../../kernel/faults/ignored-fault.js';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { optionsOf } from '../api/route-options.js';
import { callerOf } from '../auth/context.js';
import { ClientAddress } from './client-address.js';

/** A write that may be sent again, step by step: what a step finds is handed on to the next. */
export type IdempotentWrite<Ids, Checked, Prepared> = {
  /** Whether the response to an anonymous caller contains the edit token of a new site. */
  readonly returnsEditToken?: true;
  /** Makes what a retry after a crash must use again: ids, secrets, the time. */
  readonly makeIds: () => Ids;
  /** Refuses what can be refused before the body is read. */
  readonly check: (ids: Ids, attempt: Attempt) => Promise<Checked>;
  /**
   * Reads the body. `fingerprint` tells it from others, whatever form it came in; nothing else of it is used where
   * `checked` is null: then the request was answered before, and nothing was checked.
   */
  readonly prepare: (
    checked: Checked | null,
  ) => Promise<{ readonly fingerprint: () => string; readonly prepared: Prepared }>;
  /** Does the work, or finds it done by the ids. */
  readonly execute: (ids: Ids, checked: Checked, prepared: Prepared) => Promise<WriteAnswer>;
};

export type WriteAnswer = { readonly body: unknown; readonly headers: Record<string, string> };

const KEPT_STATUS = 200;

/**
 * Does a write once for each `Idempotency-Key`, and answers every retry as the first (docs/interface/conventions.md,
 * "Retry safety").
 */
@Injectable()
export class Idempotency {
  constructor(
    @Inject(IdempotencyKeys) private readonly keys: IdempotencyKeys,
    @Inject(ClientAddress) private readonly clientAddress: ClientAddress,
  ) {}

  /**
   * Answers the body to send, and sets the headers on the reply. With `ticket`, the id of something that allows the write
   * once, that is the key, whichever caller sends it and whatever key they name.
   */
  async run<Ids, Checked, Prepared>(
    request: FastifyRequest,
    reply: FastifyReply,
    context: CommandContext,
    write: IdempotentWrite<Ids, Checked, Prepared>,
    ticket: string | null = null,
  ) {
    const written = await this.#written(request, reply, context, write, ticket);
    void reply.headers(written.headers);
    return written.body;
  }

  /** Whether the request was answered before, so that answering it again does nothing new. */
  async isAnswered(request: FastifyRequest): Promise<boolean> {
    if (request.headers['idempotency-key'] === undefined) return false;
    return this.keys.isAnswered(this.#keyed(request, callerOf(request), keyOf(request) ?? ''));
  }

  async #written<Ids, Checked, Prepared>(
    request: FastifyRequest,
    reply: FastifyReply,
    { caller }: CommandContext,
    write: IdempotentWrite<Ids, Checked, Prepared>,
    ticket: string | null,
  ): Promise<WriteAnswer> {
    const key = ticket ?? keyOf(request);
    if (key === null) return (await this.#carryOut(write.makeIds(), 'first', write)).written;

    const isAnonymous = caller.userId === null && caller.editTokenHash === null;
    if (ticket === null && isAnonymous && write.returnsEditToken) assertUnguessable(key);

    const keyed = this.#keyed(request, caller, key);
    const reserved = await this.keys.reserve(ticket === null ? keyed : { ...keyed, caller: ticket }, write.makeIds);
    if (reserved.kind === 'go') return this.#keep(reserved.reservation, reserved.attempt, write);

    const { fingerprint } = await write.prepare(null);
    if (fingerprint() !== reserved.fingerprint)
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
    // On the hosts of sites one path is another thing on each.
    route: `${request.method} ${optionsOf(request.routeOptions).siteHost ? request.host : ''}${request.url}`,
  });

  async #carryOut<Ids, Checked, Prepared>(
    ids: Ids,
    attempt: Attempt,
    { check, prepare, execute }: IdempotentWrite<Ids, Checked, Prepared>,
  ) {
    const checked = await check(ids, attempt);
    const { fingerprint, prepared } = await prepare(checked);
    return { fingerprint, written: await execute(ids, checked, prepared) };
  }

  async #keep<Ids, Checked, Prepared>(
    reservation: Reservation<Ids>,
    attempt: Attempt,
    write: IdempotentWrite<Ids, Checked, Prepared>,
  ): Promise<WriteAnswer> {
    try {
      const { fingerprint, written } = await this.#carryOut(reservation.ids, attempt, write);
      // What was done is done: the next try makes an answer that cannot be kept again, from the ids.
      const keeping = reservation.keep(fingerprint(), { status: KEPT_STATUS, ...written });
      await keeping.catch(() => reservation.letGo().catch(leftToLease));
      return written;
    } catch (error) {
      // A refusal recorded nothing, so the key may be used again. After any other error the work may be done. Where
      // neither can be written down, the lease runs out.
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

/** A UUID, or 128 bits or more in hexadecimal or base64url. */
const UNGUESSABLE = /^[A-Za-z0-9_-]{22,}$/;

/**
 * Anonymous callers are told apart by their network alone. Someone else there who guessed the key could repeat the request,
 * and the repeated response contains the edit token.
 */
function assertUnguessable(key: string): void {
  if (UNGUESSABLE.test(key)) return;
  refuseInvalid({
    path: 'idempotency-key',
    message:
      'must be a UUID or at least 22 random base64url or hexadecimal characters if an anonymous request creates a site. The response contains the edit token, so the key must be impossible to guess',
  });
}
