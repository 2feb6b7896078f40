import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { streamHeaders } from '../../../edge/live/clients/http-stream.js';
import { waitEnded } from '../../../kernel/faults/ignored-fault.js';
import { answerOf } from '../invocation-answer.js';
import type { Part, WorkAnswers } from '../queue/work-answers.js';
import type { WaitingCallers } from '../waiting/waiting-callers.js';

/** Proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 15_000;

const FIRST: Pick<Part, 'attempt' | 'n'> = { attempt: 0, n: 0 };

/**
 * Streams the results of the work: `partial` for each part, then `succeeded` or `failed`; `queued` if the time limit
 * passes first.
 */
export async function streamAnswer(
  workId: string,
  reply: FastifyReply,
  ms: number,
  gone: AbortSignal,
  { answers, callers }: { readonly answers: WorkAnswers; readonly callers: WaitingCallers },
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
      // The end is read before the parts, so that no part before the end is missed.
      const row = await answers.find(workId);
      for (const part of await answers.partsAfter(workId, last)) {
        await send(raw, gone, 'partial', `{"id":"${workId}","attempt":${part.attempt},"output":${part.output}}`);
        last = part;
      }
      return row && answerOf(row);
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
