import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readBody } from '../../../edge/http/api/body/read-body.js';
import { validationRefusal } from '../../../edge/http/api/schemas/validation-pipe.js';
import { ClientAddress, computeNetwork } from '../../../edge/http/limits/client-address.js';
import { Idempotency } from '../../../edge/http/limits/idempotency.js';
import { setRateHeaders } from '../../../edge/http/limits/limit-rates.js';
import { RateLimits } from '../../../edge/http/limits/rate-limits.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { preferredType } from '../../../edge/http/negotiation/accept-header.js';
import { untilGone } from '../../../edge/http/server/until-gone.js';
import { streamHeaders } from '../../../edge/live/clients/http-stream.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { waitEnded } from '../../../kernel/faults/ignored-fault.js';
import { Ids } from '../../../kernel/ids.js';
import { refuse } from '../../../kernel/refusal.js';
import { type InvocationResponse, toInvocationResponse } from '../invocation-response.js';
import { type Payload, parsePayload } from '../payload.js';
import { type Part, WorkResults } from '../queue/work-results.js';
import { CallerRegistry } from '../waiting/waiting-callers.js';
import { InvocationBody } from './invocation-body.js';
import { InvocationStarter } from './invocation-starter.js';

/** Proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 15_000;

const FIRST: Pick<Part, 'attempt' | 'n'> = { attempt: 0, n: 0 };

/**
 * Streams `partial` for each partial result, then `succeeded` or `failed`, or `queued` if the time limit passes first.
 */
async function streamResponse(
  workId: string,
  reply: FastifyReply,
  ms: number,
  gone: AbortSignal,
  { answers, callers }: { readonly answers: WorkResults; readonly callers: CallerRegistry },
): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  if (gone.aborted) return;
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200, { ...streamHeaders('eventStream'), 'cache-control': 'no-store' });
  raw.flushHeaders();
  const heartbeat = setInterval(() => raw.write(': still here\n\n'), HEARTBEAT_MS);
  try {
    let last = FIRST;
    const answer = await callers.join(workId).until(ms, gone, async () => {
      // Read the status before the partial results. Otherwise, a partial result that is added in between would be
      // missed.
      const row = await answers.find(workId);
      for (const part of await answers.partsAfter(workId, last)) {
        await send(raw, gone, 'partial', `{"id":"${workId}","attempt":${part.attempt},"output":${part.output}}`);
        last = part;
      }
      return row && toInvocationResponse(row);
    });
    const end = answer ?? { id: workId, status: 'queued' as const };
    await send(raw, gone, end.status, JSON.stringify(end));
  } finally {
    clearInterval(heartbeat);
    raw.end();
  }
}

async function send(raw: ServerResponse, gone: AbortSignal, event: string, data: string): Promise<void> {
  if (gone.aborted || raw.write(`event: ${event}\ndata: ${data}\n\n`)) return;
  await once(raw, 'drain', { signal: gone }).catch(waitEnded);
}

const MAX_STREAM_MS = 15 * 60_000;

const STREAM = 'text/event-stream';
const NEVER = new AbortController().signal;

export type Call = {
  readonly siteId: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly context: CommandContext;
};

type Prepared = InvocationBody & { readonly payload: Payload; readonly hasWait: boolean };

@Injectable()
export class InvocationCalls {
  constructor(
    private readonly invoking: InvocationStarter,
    private readonly answers: WorkResults,
    private readonly callers: CallerRegistry,
    private readonly idempotency: Idempotency,
    private readonly limits: RateLimits,
    private readonly clientAddress: ClientAddress,
    private readonly ids: Ids,
  ) {}

  async answer(call: Call): Promise<void> {
    const { siteId, request, reply, context } = call;
    const isStream = preferredType(request.headers.accept, ['application/json', STREAM]) === STREAM;
    const gone = untilGone(reply.raw);
    let read: Prepared | undefined;
    const prepared = async () => (read ??= await this.#read(request));
    const body = await this.idempotency.run(request, reply, context, {
      makeIds: () => ({ workId: this.ids.make('wrk') }),
      readFingerprint: async () => fingerprintOf(await prepared()),
      execute: async ({ workId }) => {
        await this.#check(call);
        const sent = await prepared();
        const { payload, priority, wait } = sent;
        // Register the caller before the work exists, so that no result is missed.
        const caller = this.callers.beforeAll(workId);
        try {
          const isNew = await this.invoking.put({ workId, siteId, input: payload, priority }, context);
          if (!isNew) caller.wake(null);
        } catch (error) {
          caller.leave();
          throw error;
        }
        const queued = { id: workId, status: 'queued' as const };
        // If the request has an idempotency key, await and store the result even if the caller disconnects, so that a
        // repeated request can get it.
        const isKept = request.headers['idempotency-key'] !== undefined;
        if (isStream) caller.leave();
        const look = async (answer: InvocationResponse | null) => answer ?? this.#answer(workId);
        const ended = isStream ? null : caller.until(wait * 1_000, isKept ? NEVER : gone, look);
        return { body: (await ended) ?? queued, headers: {}, fingerprint: fingerprintOf(sent) };
      },
    });
    const { id, status } = body as { readonly id: string; readonly status: string };
    if (!isStream) return void reply.status(status === 'queued' ? 202 : 200).send(body);
    const { hasWait, wait } = await prepared();
    await streamResponse(id, reply, hasWait ? wait * 1_000 : MAX_STREAM_MS, gone, {
      answers: this.answers,
      callers: this.callers,
    });
  }

  async #answer(workId: string) {
    const row = await this.answers.find(workId);
    return row && toInvocationResponse(row);
  }

  /** Calls that are refused later count towards the rate limit too, because each of them queries the database. */
  async #check({ siteId, request, reply }: Call): Promise<void> {
    if (this.limits.enforced) {
      const network = computeNetwork(this.clientAddress.addressOf(request.raw));
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
    return { ...data, payload: parsePayload(data.input, 'input'), hasWait };
  }
}

const fingerprintOf = ({ payload, wait, priority }: Prepared) => `${payload.digest} ${wait} ${priority}`;
