import type { FastifyRequest } from 'fastify';
import { refuse } from '../../../kernel/refusal.js';
import { optionsOf } from '../route-options.js';
import { nestsDeeper } from './json-depth.js';

/** How deep the lists and objects of a JSON body may lie in each other. */
const DEEPEST_JSON = 64;

/** The most bytes in a JSON body, where the route sets no limit of its own and does not read the body itself. */
export const JSON_LIMIT = 65_536;

/**
 * Reads a JSON body; on routes that our own pages post forms to, the fields of a form too. Refuses what is longer than
 * the route takes, nests too deep or is not what it says it is.
 */
export async function readBody(request: FastifyRequest, payload: NodeJS.ReadableStream): Promise<unknown> {
  const { jsonBytes: limit = JSON_LIMIT, form: takesForms } = optionsOf(request.routeOptions);
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const isForm = type === 'application/x-www-form-urlencoded' && takesForms;
  if (type !== 'application/json' && !isForm) refuse('unsupported_media_type', 'Send application/json.');
  const bytes = await readAll(request, payload, limit);
  if (isForm && takesForms === 'text') return bytes.toString('utf8');
  if (isForm) return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));
  return bytes.length === 0 ? undefined : readJson(bytes);
}

async function readAll({ raw, headers }: FastifyRequest, payload: NodeJS.ReadableStream, limit: number) {
  const tooLarge = () => refuse('too_large', `A body here may have ${limit} bytes at most.`);
  if (Number(headers['content-length'] ?? 0) > limit) tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of raw === payload ? raw.iterator({ destroyOnReturn: false }) : payload) {
      size += chunk.length;
      if (size > limit) tooLarge();
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    // A caller who hung up is no fault of the server, also where all of the body had arrived.
    if (raw.destroyed) refuse('invalid_request', 'The body was cut short.');
    throw error;
  }
  return Buffer.concat(chunks);
}

function readJson(bytes: Buffer): unknown {
  if (nestsDeeper(bytes, DEEPEST_JSON))
    refuse('invalid_request', `A body here may nest ${DEEPEST_JSON} deep at most.`, [
      { path: '', message: 'nests too deep' },
    ]);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return refuse('invalid_request', 'The body is not JSON.', [{ path: '', message: 'is not JSON' }]);
  }
}
