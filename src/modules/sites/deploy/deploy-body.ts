import type { IncomingMessage } from 'node:http';
import { refuse } from '../../../kernel/refusal.js';
import type { DeployLimits } from '../../../settings.js';
import { htmlBody } from './html-body.js';
import type { Incoming } from './incoming.js';
import { jsonBody } from './json-body.js';
import { multipartBody } from './multipart-body.js';

/** The files of a deploy request, one after the other; each content must be read before the next is asked for. */
export function deployBody(request: IncomingMessage, limits: DeployLimits): AsyncIterable<Incoming> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  switch (type) {
    case 'text/html':
      return htmlBody(request, limits);
    case 'application/json':
      return jsonBody(request, limits);
    case 'multipart/form-data':
      return multipartBody(request, limits);
    case '':
      return refuse('no_files', 'The request has no body, or no content-type.');
    default:
      return refuse('unsupported_media_type', 'Send text/html, application/json or multipart/form-data.');
  }
}
