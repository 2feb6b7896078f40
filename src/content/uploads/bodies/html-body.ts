import type { IncomingMessage } from 'node:http';
import { refuse } from '../../../kernel/refusal.js';
import type { DeployLimits } from '../deploy-limits.js';
import { bodyChunks } from './body-chunks.js';
import { ByteReader } from './byte-reader.js';
import type { UploadedEntry } from './uploaded-entry.js';

/** Reads a single page (`text/html`) as it arrives. It becomes `index.html`. */
export async function* htmlBody(request: IncomingMessage, limits: DeployLimits): AsyncGenerator<UploadedEntry> {
  const reader = new ByteReader(bodyChunks(request, limits.bodyBytes));
  if (!(await reader.more())) refuse('no_files', 'The request body is empty.');
  const length = Number(request.headers['content-length']);
  const content = reader.buffer.length === length ? reader.buffer : rest(reader);
  yield { path: 'index.html', field: 'body', content };
}

async function* rest(reader: ByteReader): AsyncGenerator<Uint8Array> {
  do yield reader.take(reader.buffer.length);
  while (await reader.more());
}
