import type { IncomingMessage } from 'node:http';
import { refuse } from '../../../kernel/refusal.js';
import type { DeployLimits } from '../../../settings.js';
import type { Incoming } from './incoming.js';
import { readWhole } from './read-whole.js';

/** `text/html`: one page. */
export async function* htmlBody(request: IncomingMessage, limits: DeployLimits): AsyncIterable<Incoming> {
  const content = await readWhole(request, limits.bodyBytes);
  if (content.length === 0) refuse('no_files', 'The body is empty.');
  yield { path: 'index.html', field: 'body', content };
}
