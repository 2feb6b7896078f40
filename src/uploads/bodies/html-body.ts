import type { IncomingMessage } from 'node:http';
import { refuse } from '../../kernel/refusal.js';
import type { DeployLimits } from '../../settings.js';
import { bodyPieces } from './body-chunks.js';
import { ByteReader } from './byte-reader.js';
import type { Incoming } from './uploaded-entry.js';

/** `text/html`: one page, passed on as it arrives. */
export async function* htmlBody(request: IncomingMessage, limits: DeployLimits): AsyncGenerator<Incoming> {
  const reader = new ByteReader(bodyPieces(request, limits.bodyBytes));
  if (!(await reader.more())) refuse('no_files', 'The body is empty.');
  const length = Number(request.headers['content-length']);
  const content = reader.buffer.length === length ? reader.buffer : rest(reader);
  yield { path: 'index.html', field: 'body', content };
}

async function* rest(reader: ByteReader): AsyncGenerator<Uint8Array> {
  do yield reader.take(reader.buffer.length);
  while (await reader.more());
}
