import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { refuse } from '../../../kernel/refusal.js';
import { readRouteOptions } from '../api/route-options.js';
import { formatSecret, hashSecret, parseSecret } from './secrets.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 hash of the request's upload token in hexadecimal. */
    uploadTokenHash: string | null;
  }
}

/** Lifetime of an upload token and of the content uploaded with it. */
const SECONDS = 86_400;
const ID_BYTES = 12;
const HEAD_BYTES = ID_BYTES + 4;

/**
 * Upload tokens (`stele_upload_…`), with which callers who have no other credential can upload content before its
 * deploy. A token contains its own expiry, authenticated with a key derived from the root key, so nothing is stored.
 */
export class UploadTokens {
  readonly #key: Buffer;

  constructor(rootKey: Buffer) {
    this.#key = Buffer.from(hkdfSync('sha256', rootKey, '', 'stele upload token', 32));
  }

  /** Issues a token. `now` is in milliseconds. */
  make(now = Date.now()): string {
    const until = Buffer.alloc(4);
    until.writeUInt32BE(Math.floor(now / 1_000) + SECONDS);
    const head = Buffer.concat([randomBytes(ID_BYTES), until]);
    return formatSecret('upload', Buffer.concat([head, this.#mac(head)]));
  }

  holds(token: string, now = Date.now()): boolean {
    const bytes = parseSecret('upload', token);
    if (!bytes) return false;
    const head = bytes.subarray(0, HEAD_BYTES);
    return timingSafeEqual(this.#mac(head), bytes.subarray(HEAD_BYTES)) && head.readUInt32BE(ID_BYTES) * 1_000 > now;
  }

  #mac = (head: Buffer) => createHmac('sha256', this.#key).update(head).digest().subarray(0, 16);
}

/** Refuses an invalid `x-svc-upload-token` on every route. */
export function readUploadTokens(instance: FastifyInstance, tokens: UploadTokens) {
  instance.decorateRequest('uploadTokenHash', null);
  instance.addHook('onRequest', async (request) => {
    const token = request.headers['x-svc-upload-token'];
    if (token === undefined || readRouteOptions(request.routeOptions).siteHost) return;
    if (typeof token !== 'string' || !tokens.holds(token))
      refuse(
        'unauthenticated',
        'The token in x-svc-upload-token is invalid or has expired. Send another preflight request to get a new one.',
      );
    request.uploadTokenHash = hashSecret(token);
  });
}
