import { setImmediate } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { refuseInvalid } from '../../../../kernel/faults/schema-faults.js';
import { formatBytes } from '../../../../kernel/output/quantities.js';
import { refuse } from '../../../../kernel/refusal.js';
import { MEDIA_TYPE_SUGGESTION } from '../../problems/framework-refusal.js';
import { readRouteOptions } from '../route-options.js';
import { JsonMeter } from './json-meter.js';

export const NOT_JSON = 'must be valid JSON';

/** Default size limit in bytes, for routes that neither set a limit nor read the body themselves. */
export const JSON_LIMIT = 65_536;

/** Default limit for the number of members and items in a JSON body. */
const JSON_VALUES = 1_000;

/** Reads a JSON body, or a form on routes to which our own pages submit forms. Refuses a body that exceeds a limit. */
export async function readBody(request: FastifyRequest, payload: NodeJS.ReadableStream): Promise<unknown> {
  const { jsonBytes: limit = JSON_LIMIT, jsonValues = JSON_VALUES, form } = readRouteOptions(request.routeOptions);
  const isForm = form !== undefined && mediaTypeOf(request) === 'application/x-www-form-urlencoded';
  if (!isForm) assertJson(request);
  const meter = isForm ? null : new JsonMeter(jsonValues);
  const chunks: Buffer[] = [];
  for await (const chunk of arriving(request, payload, limit)) {
    meter?.add(chunk);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (isForm && form === 'text') return bytes.toString('utf8');
  if (isForm) return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));
  if (bytes.length === 0) return undefined;
  const value = parseJson(bytes);
  // Validate a large body in another turn of the event loop, because parsing has used up this turn.
  if (bytes.length > JSON_LIMIT) await setImmediate();
  return value;
}

const mediaTypeOf = ({ headers }: FastifyRequest) => headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();

/** Refuses a request with `unsupported_media_type` unless its body is JSON. */
export function assertJson(request: FastifyRequest): void {
  if (mediaTypeOf(request) !== 'application/json')
    refuse('unsupported_media_type', 'The body must be application/json.', [], { suggestion: MEDIA_TYPE_SUGGESTION });
}

/** Yields the chunks of a body. Refuses with `too_large` after more than `limit` bytes. */
export async function* arriving(
  { raw, headers }: FastifyRequest,
  payload: NodeJS.ReadableStream,
  limit: number,
): AsyncGenerator<Buffer> {
  if (Number(headers['content-length'] ?? 0) > limit) refuseSize(limit);
  let size = 0;
  try {
    for await (const chunk of raw === payload ? raw.iterator({ destroyOnReturn: false }) : payload) {
      size += chunk.length;
      if (size > limit) refuseSize(limit);
      yield chunk as Buffer;
    }
  } catch (error) {
    // Not the server’s fault: the client disconnected, possibly after it had sent the whole body.
    if (raw.destroyed) refuse('invalid_request', 'The connection closed before the whole body arrived.');
    throw error;
  }
}

export const refuseSize = (limit: number): never =>
  refuse('too_large', `The body must not be larger than ${formatBytes(limit)}.`);

/** Refuses malformed JSON with `invalid_request`. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return refuseInvalid({ path: '', message: NOT_JSON });
  }
}
