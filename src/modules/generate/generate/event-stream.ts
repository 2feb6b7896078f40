import { Readable } from 'node:stream';
import { Logger, StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemBody, readPath, unexpectedBody } from '../../../edge/http/problems/send-problem.js';
import { enforceWriteTimeout } from '../../../edge/http/server/write-timeout.js';
import { Refusal } from '../../../kernel/refusal.js';

export const EVENT_STREAM = 'text/event-stream';

const log = new Logger('Generate');

/**
 * Responds with server-sent events: `delta` for each piece of the page, then `done` with the generator's return value.
 * An error after the first piece becomes an `error` event. An empty piece becomes a comment, which keeps proxies from
 * closing the connection.
 */
export async function eventStream(
  request: FastifyRequest,
  reply: FastifyReply,
  pieces: AsyncGenerator<string, object>,
  baseUrl: string,
): Promise<StreamableFile> {
  // Wait for the first piece of the page, because an error can be sent with its own status only until the response
  // begins.
  const first = await pieces.next();
  enforceWriteTimeout(reply.raw);
  // Keeps nginx from buffering server-sent events.
  void reply.header('x-accel-buffering', 'no');
  const body = Readable.from(framesOf(first, pieces, request, baseUrl), { objectMode: false });
  return new StreamableFile(body, { type: `${EVENT_STREAM}; charset=utf-8` });
}

async function* framesOf(
  first: IteratorResult<string, object>,
  pieces: AsyncGenerator<string, object>,
  request: FastifyRequest,
  baseUrl: string,
): AsyncGenerator<string> {
  try {
    for (let next = first; ; ) {
      if (next.done) return yield frame('done', next.value);
      yield next.value === '' ? SIGN_OF_LIFE : frame('delta', { text: next.value });
      const coming = pieces.next();
      for (let come = await inTime(coming); ; come = await inTime(coming)) {
        if (come !== null) {
          next = come;
          break;
        }
        yield SIGN_OF_LIFE;
      }
    }
  } catch (error) {
    yield frame('error', problemOf(error, request, baseUrl));
  } finally {
    await pieces.return({});
  }
}

function problemOf(error: unknown, request: FastifyRequest, baseUrl: string) {
  const at = { instance: readPath(request), requestId: request.id };
  if (error instanceof Refusal) return problemBody(error, { ...at, baseUrl });
  log.error(`${readPath(request)} ${request.id}`, error instanceof Error ? error.stack : error);
  return unexpectedBody(at);
}

/** A comment line of server-sent events, which clients ignore. It keeps the connection open. */
const SIGN_OF_LIFE = ':\n\n';
const EVERY_MS = 15_000;

/**
 * Resolves to null if the value takes longer than EVERY_MS, so that a comment can be sent to keep the connection open.
 */
async function inTime<Value>(coming: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), EVERY_MS);
  });
  return Promise.race([coming, late]).finally(() => clearTimeout(timer));
}

/** Formats a server-sent event. The data fits on one line because JSON escapes line breaks. */
const frame = (event: string, data: object) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
