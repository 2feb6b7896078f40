import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiProduces, ApiQuery, ApiResponse } from '@nestjs/swagger';

/** The OpenAPI schema of a page of events, around the schema of the events’ data. */
const page = (data: object) => ({
  type: 'object',
  required: ['items', 'after', 'limit', 'total', 'ended'],
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'event', 'data'],
        properties: { id: { type: 'integer' }, event: { type: 'string' }, data },
      },
    },
    after: { type: 'integer', description: 'What to ask the next page with.' },
    limit: { type: 'integer' },
    total: { type: 'integer', description: 'How many events the stream has.' },
    ended: { type: 'boolean', description: 'Nothing follows what is in here.' },
  },
});

/**
 * Describes a route that answers with a stream. `data` is the OpenAPI schema of the data in its events; `hasText` says
 * that there is a form of it for people.
 */
export const ApiStream = (
  description: string,
  data: object = { type: 'object', additionalProperties: true },
  { hasText = false } = {},
) =>
  applyDecorators(
    ApiProduces('text/event-stream', 'application/x-ndjson', 'application/json', ...(hasText ? ['text/plain'] : [])),
    ApiQuery({ name: 'after', required: false, description: 'Resumes after this revision.' }),
    ApiQuery({ name: 'limit', required: false, description: 'Events in a page of JSON: 1 to 500, 100 without it.' }),
    ApiHeader({
      name: 'last-event-id',
      required: false,
      description: 'The id of the last event seen; it goes before `after`.',
    }),
    ApiResponse({
      status: 200,
      description: `${description} An event’s id is its revision. After a final event comes \`end\`, without an id. An id that the stream does not reach within 2 s is answered by \`reset\` and the stream from its beginning.`,
      content: {
        'text/event-stream': { schema: { type: 'string' } },
        'application/x-ndjson': { schema: { type: 'string' } },
        'application/json': { schema: page(data) as object },
        ...(hasText && { 'text/plain': { schema: { type: 'string' } } }),
      },
    }),
    ApiResponse({ status: 204, description: 'Everything was seen, and nothing follows.' }),
  );
