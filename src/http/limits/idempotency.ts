import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, CommandContext } from '../../kernel/command-context.js';
import { leftToLease } from '../../kernel/ignored-fault.js';
import { Refusal, refuse } from '../../kernel/refusal.js';
import { IdempotencyKeys, type KeyedRequest } from '../../tables/idempotency/idempotency-keys.js';
import type { Reservation } from '../../tables/idempotency/reservation.js';
import { callerOf } from '../auth/context.js';
import { ClientAddress } from './client-address.js';

/** A write that may be sent again. */
export type IdempotentWrite<Ids, Prepared> = {
  /** Everything that must be the same when a crash made us do it again: ids, secrets, the time. */
  readonly makeIds: () => Ids;
  /** What can refuse before the body is read. */
  readonly check?: (ids: Ids) => Promise<void>;
  /** Reads the body; `fingerprint` tells it from others, whatever form it came in. */
  readonly prepare: () => Promise<{ readonly fingerprint: () => string; readonly prepared: Prepared }>;
  /** Does it, or finds it done, by the ids. */
  readonly execute: (ids: Ids, prepared: Prepared) => Promise<WriteAnswer>;
};

export type WriteAnswer = { readonly body: unknown; readonly headers: Record<string, string> };

const KEPT_STATUS = 200;

/**
 * Does a write once for each `Idempotency-Key`, and answers every retry as the first (docs/interface.md,
 * "Retry safety").
 */
@Injectable()
export class Idempotency {
  constructor(
    @Inject(IdempotencyKeys) private readonly keys: IdempotencyKeys,
    @Inject(ClientAddress) private readonly clientAddress: ClientAddress,
  ) {}

  /** Answers the body to send; headers are set on the reply. */
  async run<Ids, Prepared>(
    request: FastifyRequest,
    reply: FastifyReply,
    context: CommandContext,
    write: IdempotentWrite<Ids, Prepared>,
  ) {
    const written = await this.#written(request, reply, context, write);
    void reply.headers(written.headers);
    return written.body;
  }

  /** Whether it was answered before, so that answering it again asks for nothing new. */
  async isRetry(request: FastifyRequest): Promise<boolean> {
    if (request.headers['idempotency-key'] === undefined) return false;
    return this.keys.isAnswered(this.#asked(request, callerOf(request), keyOf(request) ?? ''));
  }

  async #written<Ids, Prepared>(
    request: FastifyRequest,
    reply: FastifyReply,
    { caller }: CommandContext,
    write: IdempotentWrite<Ids, Prepared>,
  ): Promise<WriteAnswer> {
    const key = keyOf(request);
    if (key === null) return (await this.#carryOut(write.makeIds(), write)).written;

    const asked = this.#asked(request, caller, key);
    const reserved = await this.keys.reserve(asked, write.makeIds);
    if (reserved.kind === 'go') return this.#keep(reserved.reservation, write);

    const { fingerprint } = await write.prepare();
    if (fingerprint() !== reserved.fingerprint)
      refuse('idempotency_key_reused', 'This key was used with another body.');
    void reply.header('idempotency-replayed', 'true');
    return reserved.answer;
  }

  #asked = (request: FastifyRequest, { userId, editTokenHash }: Caller, key: string): KeyedRequest => ({
    caller: userId ?? editTokenHash ?? this.clientAddress.addressOf(request.raw),
    userId,
    key,
    route: `${request.method} ${request.url}`,
  });

  async #carryOut<Ids, Prepared>(ids: Ids, { check, prepare, execute }: IdempotentWrite<Ids, Prepared>) {
    await check?.(ids);
    const { fingerprint, prepared } = await prepare();
    return { fingerprint, written: await execute(ids, prepared) };
  }

  async #keep<Ids, Prepared>(
    reservation: Reservation<Ids>,
    write: IdempotentWrite<Ids, Prepared>,
  ): Promise<WriteAnswer> {
    try {
      const { fingerprint, written } = await this.#carryOut(reservation.ids, write);
      // What was done is done: an answer that cannot be kept is made again from the ids by the next try.
      const keeping = reservation.keep(fingerprint(), { status: KEPT_STATUS, ...written });
      await keeping.catch(() => reservation.letGo().catch(leftToLease));
      return written;
    } catch (error) {
      // A refusal recorded nothing, so that the key may be used again. After anything else nobody knows. Where neither
      // can be written down the lease runs out.
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
    return refuse('invalid_request', 'An idempotency key has 8 to 255 characters.', [
      { path: 'idempotency-key', message: 'has fewer than 8 or more than 255 characters' },
    ]);
  }
  return key;
}
