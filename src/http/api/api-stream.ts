import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiProduces, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { z } from 'zod';
import { ApiEvents, type EventShapes, eventRef, streamOf } from './description/api-events.js';
import { TakesQuery } from './schemas/known-query.js';

/** The OpenAPI schema of a page of events. */
const page = (name: string) => ({
  type: 'object',
  required: ['items', 'after', 'limit', 'total', 'ended'],
  additionalProperties: false,
  properties: {
    items: { type: 'array', items: eventRef(name) },
    after: { type: 'integer', description: 'What to ask the next page with.' },
    limit: { type: 'integer' },
    total: { type: 'integer', description: 'How many events the stream has.' },
    ended: { type: 'boolean', description: 'Nothing follows what is in here.' },
  },
});

const Nothing = z.strictObject({});

/**
 * Describes a route that answers with a stream. `events` are the shapes of the data of its events, by their names, and
 * `name` that of the schema which is any one of them; `hasText` says that there is a form of it for people.
 */
export const ApiStream = (description: string, name: string, events: EventShapes, { hasText = false } = {}) =>
  applyDecorators(
    TakesQuery('after', 'limit'),
    ApiEvents(name, events, { end: Nothing, reset: Nothing }),
    ApiProduces('text/event-stream', 'application/x-ndjson', 'application/json', ...(hasText ? ['text/plain'] : [])),
    ApiQuery({
      name: 'after',
      required: false,
      schema: { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 },
      description: 'Resumes after this revision.',
    }),
    ApiQuery({
      name: 'limit',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
      description: 'Events in a page of JSON: 1 to 500, 100 without it.',
    }),
    ApiHeader({
      name: 'last-event-id',
      required: false,
      schema: { type: 'string', pattern: '^\\d{0,15}$' },
      description: 'The id of the last event seen; it goes before `after`.',
    }),
    ApiResponse({
      status: 200,
      description: `${description} An event’s id is its revision. After a final event comes \`end\`, without an id. An id that the stream does not reach within 2 s is answered by \`reset\` and the stream from its beginning.`,
      content: {
        'text/event-stream': streamOf(name, 'text/event-stream'),
        'application/x-ndjson': streamOf(name, 'application/x-ndjson'),
        'application/json': { schema: page(name) as object },
        ...(hasText && { 'text/plain': { schema: { type: 'string' } } }),
      },
    }),
    ApiResponse({ status: 204, description: 'Everything was seen, and nothing follows.' }),
  );
