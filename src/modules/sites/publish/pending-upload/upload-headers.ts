import type { IncomingHttpHeaders } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { attachTrait } from '../../../../edge/http/api/description/api-extension.js';
import { refuseInvalid } from '../../../../kernel/faults/schema-faults.js';
import type { PendingUpload } from './pending-uploads.js';

// Headers of resumable uploads (IETF draft-ietf-httpbis-resumable-upload). Their values are structured fields (RFC
// 9651), in which booleans are ?1 and ?0.

export const PARTIAL = 'application/partial-upload';

/** Returns whether this request completes the upload, or null if the header is missing. */
export function parseUploadComplete(headers: IncomingHttpHeaders): boolean | null {
  const given = headers['upload-complete'];
  if (given === undefined) return null;
  if (given === '?1' || given === '?0') return given === '?1';
  return refuseHeader('upload-complete', 'must be ?1 or ?0');
}

/** Returns the value of a header that contains a number of bytes, or null if the header is missing. */
export function parseByteCount(headers: IncomingHttpHeaders, name: string): number | null {
  const given = headers[name];
  if (given === undefined) return null;
  if (typeof given === 'string' && /^\d{1,15}$/.test(given)) return Number(given);
  return refuseHeader(name, 'must be a number of bytes');
}

export function refuseHeader(name: string, message: string): never {
  return refuseInvalid({ path: name, message });
}

export const formatUploadProgress = ({
  received,
  complete,
  size,
}: Pick<PendingUpload, 'received' | 'complete' | 'size'>) => ({
  'upload-offset': String(received),
  'upload-complete': complete ? '?1' : '?0',
  'upload-length': String(size),
});

const text = { schema: { type: 'string' } } as const;

/** Describes the headers of `formatUploadProgress` for /openapi.json. */
export const progressHeaders = {
  'upload-offset': { ...text, description: 'Number of bytes received and stored, which is the offset to resume from.' },
  'upload-complete': { ...text, description: '`?1` if the content is complete, otherwise `?0`.' },
  'upload-length': { ...text, description: 'Size of the whole content in bytes.' },
};

export const ApiBytes = (type: string) =>
  attachTrait('x-request-body', {
    required: true,
    content: { [type]: { schema: { type: 'string', contentMediaType: 'application/octet-stream' } } },
  });

export const ApiUploadToken = () =>
  applyDecorators(
    ApiHeader({
      name: 'x-svc-upload-token',
      required: false,
      description: 'Upload token, for callers without other credentials: `uploadToken` from a preflight response.',
    }),
  );
