import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiProduces, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { z } from 'zod';
import { ApiEvents, describeStream, type EventShapes, eventRef } from './description/api-events.js';
import { TakesQuery } from './schemas/known-query.js';

const page = (name: string) => ({
  type: 'object',
  required: ['items', 'after', 'limit', 'total', 'ended'],
  additionalProperties: false,
  properties: {
    items: { type: 'array', items: eventRef(name) },
    after: { type: 'integer', description: 'Value of `after` for the next page.' },
    limit: { type: 'integer' },
    total: { type: 'integer', description: 'Number of events in the stream.' },
    ended: {
      type: 'boolean',
      description: 'Whether this page reaches the end of the stream and no further events will follow.',
    },
  },
});

const Nothing = z.strictObject({});

/**
 * Describes a route that responds with a stream. `events` maps event names to schemas, `name` names their union in
 * `/openapi.json`, and `hasText` adds a plain-text format.
 */
export const ApiStream = (description: string, name: string, events: EventShapes, { hasText = false } = {}) =>
  applyDecorators(
    TakesQuery('after', 'limit', ...(hasText ? ['color'] : [])),
    ApiEvents(name, events, { end: Nothing, reset: Nothing }),
    ApiProduces('text/event-stream', 'application/x-ndjson', 'application/json', ...(hasText ? ['text/plain'] : [])),
    ApiQuery({
      name: 'after',
      required: false,
      schema: { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 },
      description: 'Returns only events after this revision.',
    }),
    ApiQuery({
      name: 'limit',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
      description: 'Number of events in a JSON page, from 1 to 500. Defaults to 100.',
    }),
    ...(hasText
      ? [
          ApiQuery({
            name: 'color',
            required: false,
            schema: { type: 'string', enum: ['0', '1'], default: '0' },
            description: 'Whether to include terminal colours in plain-text output.',
          }),
        ]
      : []),
    ApiHeader({
      name: 'last-event-id',
      required: false,
      schema: { type: 'string', pattern: '^\\d{0,15}$' },
      description: 'ID of the last event received. Takes precedence over `after`.',
    }),
    ApiResponse({
      status: 200,
      description: `${description} The ID of an event is its revision. After the final event, the stream sends \`end\` without an ID. If the stream does not reach the requested revision within 2 seconds, it sends \`reset\` and starts from the beginning.`,
      content: {
        'text/event-stream': describeStream(name, 'text/event-stream'),
        'application/x-ndjson': describeStream(name, 'application/x-ndjson'),
        'application/json': { schema: page(name) as object },
        ...(hasText && { 'text/plain': { schema: { type: 'string' } } }),
      },
    }),
    ApiResponse({ status: 204, description: 'The stream has ended, and the client has received all of its events.' }),
  );
