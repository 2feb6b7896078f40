import { preferredType } from '../../../kernel/accept-header.js';

/** How a stream is answered: server-sent events, NDJSON, text for people, or one page of JSON. */
export type StreamFormat = 'eventStream' | 'lines' | 'text' | 'page';

const formats = {
  'text/event-stream': 'eventStream',
  'application/x-ndjson': 'lines',
  'application/json': 'page',
  'text/plain': 'text',
} as const;

const all = ['text/event-stream', 'application/x-ndjson', 'application/json'] as const;

/**
 * The format that an `Accept` header prefers; an event stream where it takes anything, or none of them. Text only of a
 * stream that has that form.
 */
export const preferredFormat = (accept: string | undefined, hasText: boolean): StreamFormat =>
  formats[preferredType(accept, hasText ? [...all, 'text/plain'] : all)];
