import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { faultsOf } from '../../../edge/shape.js';
import { refuse } from '../../../kernel/refusal.js';
import type { DeployLimits } from '../../../settings.js';
import type { Incoming } from './incoming.js';
import { readWhole } from './read-whole.js';

export const FileEntry = z
  .strictObject({
    path: z.string(),
    content: z.string(),
    encoding: z.enum(['utf-8', 'base64']).default('utf-8'),
  })
  .meta({ description: 'One file. `content` is text, or base64 of any bytes.' });

export const DeployJson = z.strictObject({ files: z.array(FileEntry) });

/** `application/json`: `{ "files": [{ "path", "content", "encoding" }] }`. */
export async function* jsonBody(request: IncomingMessage, limits: DeployLimits): AsyncIterable<Incoming> {
  const { files } = parsed(await readWhole(request, limits.bodyBytes), limits);
  if (files.length === 0) refuse('no_files', '“files” is empty.');

  for (const [index, { path, content, encoding }] of files.entries()) {
    const field = `files[${index}]`;
    yield { path, field, content: encoding === 'base64' ? fromBase64(content, field) : Buffer.from(content) };
  }
}

function parsed(body: Buffer, limits: DeployLimits): z.output<typeof DeployJson> {
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8'));
  } catch {
    return refuse('invalid_request', 'The body is not JSON.', [{ path: '', message: 'is not JSON' }]);
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json) && !('files' in json))
    refuse('no_files', '“files” is missing.');
  // Counted before the shapes are looked at, so that a long list of nonsense costs little.
  const { files } = Object(json);
  if (Array.isArray(files) && files.length > limits.files) {
    refuse('too_many_files', `A deploy may have ${limits.files} files, not ${files.length}.`);
  }
  const result = DeployJson.safeParse(json);
  if (result.success) return result.data;
  const faults = faultsOf(result.error.issues);
  return refuse('invalid_request', faults[0] && `${faults[0].path || 'The body'}: ${faults[0].message}.`, faults);
}

function fromBase64(text: string, field: string): Buffer {
  const plain = text.replace(/[\r\n]/g, '');
  if (plain.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(plain)) {
    const message = 'is not base64 (RFC 4648 section 4)';
    refuse('invalid_request', `${field}.content ${message}.`, [{ path: `${field}.content`, message }]);
  }
  return Buffer.from(plain, 'base64');
}
