import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readBody } from '../../../edge/http/api/body/read-body.js';
import { validationRefusal } from '../../../edge/http/api/schemas/validation-pipe.js';
import { ClientAddress, networkOf } from '../../../edge/http/limits/client-address.js';
import { Idempotency } from '../../../edge/http/limits/idempotency.js';
import { setRateHeaders } from '../../../edge/http/limits/limit-rates.js';
import { RateLimits } from '../../../edge/http/limits/rate-limits.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { untilGone } from '../../../edge/http/server/until-gone.js';
import { preferredType } from '../../../kernel/accept-header.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { Ids } from '../../../kernel/ids.js';
import { refuse } from '../../../kernel/refusal.js';
import { answerOf, type InvocationAnswer } from '../invocation-answer.js';
import { type Payload, payloadOf } from '../payload.js';
import { WorkAnswers } from '../queue/work-answers.js';
import { WaitingCallers } from '../waiting/waiting-callers.js';
import { InvocationBody } from './invocation-body.js';
import { streamAnswer } from './invocation-stream.js';
import { Invoking } from './invoking.js';

/** How long a stream goes on at most, in milliseconds, where the caller says nothing. */
const LONGEST_STREAM_MS = 15 * 60_000;

const STREAM = 'text/event-stream';
const NEVER = new AbortController().signal;

export type Call = {
  readonly siteId: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly context: CommandContext;
};

type Prepared = InvocationBody & { readonly payload: Payload; readonly hasWait: boolean };

/** One call of a connector, from a page or a program that may make it, to its answer. */
@Injectable()
export class InvocationCalls {
  constructor(
    @Inject(Invoking) private readonly invoking: Invoking,
    @Inject(WorkAnswers) private readonly answers: WorkAnswers,
    @Inject(WaitingCallers) private readonly callers: WaitingCallers,
    @Inject(Idempotency) private readonly idempotency: Idempotency,
    @Inject(RateLimits) private readonly limits: RateLimits,
    @Inject(ClientAddress) private readonly clientAddress: ClientAddress,
    @Inject(Ids) private readonly ids: Ids,
  ) {}

  async answer(call: Call): Promise<void> {
    const { siteId, request, reply, context } = call;
    const isStream = preferredType(request.headers.accept, ['application/json', STREAM]) === STREAM;
    const gone = untilGone(reply.raw);
    let read: Prepared | undefined;
    const prepared = async () => (read ??= await this.#read(request));
    const body = await this.idempotency.run(request, reply, context, {
      makeIds: () => ({ workId: this.ids.make('wrk') }),
      check: () => this.#check(call),
      prepare: async () => {
        const sent = await prepared();
        return { prepared: sent, fingerprint: () => fingerprintOf(sent) };
      },
      execute: async ({ workId }, _, { payload, priority, wait }) => {
        // Before the work is there, so that no answer is missed: at first there is none to be looked for.
        const caller = this.callers.beforeAll(workId);
        try {
          const isNew = await this.invoking.put({ workId, siteId, input: payload, priority }, context);
          if (!isNew) caller.wake(null);
        } catch (error) {
          caller.leave();
          throw error;
        }
        const queued = { id: workId, status: 'queued' as const };
        // What is kept for a retry is made whether or not the first caller is there to see it.
        const isKept = request.headers['idempotency-key'] !== undefined;
        if (isStream) caller.leave();
        const look = async (answer: InvocationAnswer | null) => answer ?? this.#answer(workId);
        const ended = isStream ? null : caller.until(wait * 1_000, isKept ? NEVER : gone, look);
        return { body: (await ended) ?? queued, headers: {} };
      },
    });
    const { id, status } = body as { readonly id: string; readonly status: string };
    if (!isStream) return void reply.status(status === 'queued' ? 202 : 200).send(body);
    const { hasWait, wait } = await prepared();
    await streamAnswer(id, reply, hasWait ? wait * 1_000 : LONGEST_STREAM_MS, gone, {
      answers: this.answers,
      callers: this.callers,
    });
  }

  async #answer(workId: string) {
    const row = await this.answers.find(workId);
    return row && answerOf(row);
  }

  /** What is refused counts too: each has asked something of the database. */
  async #check({ siteId, request, reply }: Call): Promise<void> {
    if (this.limits.enforced) {
      const network = networkOf(this.clientAddress.addressOf(request.raw));
      const standing = await this.limits.take(rates.invocations, `${network} ${siteId}`);
      setRateHeaders(reply, [{ rate: rates.invocations, standing }]);
      if (!standing.taken) {
        void reply.header('retry-after', String(standing.resetSeconds));
        refuse('rate_limited', 'One IP address can invoke a site’s connector at most 60 times a minute.');
      }
    }
    await this.invoking.assertCanStart(siteId);
  }

  async #read(request: FastifyRequest): Promise<Prepared> {
    const sent = await readBody(request, request.raw);
    const { data, error } = InvocationBody.safeParse(sent);
    if (!data) throw validationRefusal(error.issues);
    const hasWait = typeof sent === 'object' && sent !== null && 'wait' in sent;
    return { ...data, payload: payloadOf(data.input, 'input'), hasWait };
  }
}

/** Tells requests apart that come with one key. */
const fingerprintOf = ({ payload, wait, priority }: Prepared) => `${payload.digest} ${wait} ${priority}`;
