import { bestOf } from '../kernel/accept-header.js';

export type Form = 'eventStream' | 'lines' | 'page';

const forms = {
  'text/event-stream': 'eventStream',
  'application/x-ndjson': 'lines',
  'application/json': 'page',
} as const;

/** Which form `Accept` prefers; an event stream for those who take anything. */
export const wantedForm = (accept: string | undefined): Form =>
  forms[bestOf(accept, ['text/event-stream', 'application/x-ndjson', 'application/json'])];
