import { preferredType } from '../../kernel/accept-header.js';

/** How a stream is answered: server-sent events, NDJSON, or one page of JSON. */
export type StreamFormat = 'eventStream' | 'lines' | 'page';

const formats = {
  'text/event-stream': 'eventStream',
  'application/x-ndjson': 'lines',
  'application/json': 'page',
} as const;

/** The format that an `Accept` header prefers; an event stream where it takes anything, or none of the three. */
export const preferredFormat = (accept: string | undefined): StreamFormat =>
  formats[preferredType(accept, ['text/event-stream', 'application/x-ndjson', 'application/json'])];
