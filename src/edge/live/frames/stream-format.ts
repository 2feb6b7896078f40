import { preferredType } from '../../http/negotiation/accept-header.js';

/** Format of a streamed response: server-sent events, NDJSON, text for people, or one page of JSON. */
export type StreamFormat = 'eventStream' | 'lines' | 'text' | 'page';

const formats = {
  'text/event-stream': 'eventStream',
  'application/x-ndjson': 'lines',
  'application/json': 'page',
  'text/plain': 'text',
} as const;

const all = ['text/event-stream', 'application/x-ndjson', 'application/json'] as const;

/**
 * Returns the format that an `Accept` header prefers, or an event stream if it accepts anything or none of the formats.
 * Text is available only if the stream has a text form.
 */
export const preferredFormat = (accept: string | undefined, hasText: boolean): StreamFormat =>
  formats[preferredType(accept, hasText ? [...all, 'text/plain'] : all)];
