import type { FastifyRequest } from 'fastify';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { formatBytes } from '../../../kernel/output/quantities.js';
import { refuse } from '../../../kernel/refusal.js';
import { MEDIA_TYPE_SUGGESTION } from '../../problems/framework-refusal.js';
import { optionsOf } from '../route-options.js';
import { nestsDeeper } from './json-depth.js';

/** How deep arrays and objects may be nested in a JSON body. */
const DEEPEST_JSON = 64;

/** What a fault says about a body that cannot be parsed. */
export const NOT_JSON = 'must be valid JSON';

/** Size limit of a JSON body in bytes, unless the route sets its own limit or reads the body itself. */
export const JSON_LIMIT = 65_536;

/**
 * Reads a JSON body, or the fields of a form on routes that our own pages post forms to. Refuses a body that is too long,
 * nested too deeply or malformed.
 */
export async function readBody(request: FastifyRequest, payload: NodeJS.ReadableStream): Promise<unknown> {
  const { jsonBytes: limit = JSON_LIMIT, form: takesForms } = optionsOf(request.routeOptions);
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const isForm = type === 'application/x-www-form-urlencoded' && takesForms;
  if (type !== 'application/json' && !isForm)
    refuse('unsupported_media_type', 'The body must be application/json.', [], { suggestion: MEDIA_TYPE_SUGGESTION });
  const bytes = await readAll(request, payload, limit);
  if (isForm && takesForms === 'text') return bytes.toString('utf8');
  if (isForm) return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));
  return bytes.length === 0 ? undefined : readJson(bytes);
}

async function readAll({ raw, headers }: FastifyRequest, payload: NodeJS.ReadableStream, limit: number) {
  const tooLarge = () => refuse('too_large', `The body must not be larger than ${formatBytes(limit)}.`);
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
    // A client that hung up is not the server’s fault, even if the whole body had arrived.
    if (raw.destroyed) refuse('invalid_request', 'The connection closed before the whole body arrived.');
    throw error;
  }
  return Buffer.concat(chunks);
}

function readJson(bytes: Buffer): unknown {
  if (nestsDeeper(bytes, DEEPEST_JSON))
    refuseInvalid({ path: '', message: `must not be nested more than ${DEEPEST_JSON} levels deep` });
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return refuseInvalid({ path: '', message: NOT_JSON });
  }
}
