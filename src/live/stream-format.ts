import { preferredType } from '../kernel/accept-header.js';

export type StreamFormat = 'eventStream' | 'lines' | 'page';

const forms = {
  'text/event-stream': 'eventStream',
  'application/x-ndjson': 'lines',
  'application/json': 'page',
} as const;

/** Which form `Accept` prefers; an event stream for those who take anything. */
export const preferredFormat = (accept: string | undefined): StreamFormat =>
  forms[preferredType(accept, ['text/event-stream', 'application/x-ndjson', 'application/json'])];
