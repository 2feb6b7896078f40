import { Controller, Get } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { refuse } from '../../kernel/refusal.js';
import { LIVE_PATH } from './live.gateway.js';

const stream = {
  type: 'string',
  description: 'Name of the stream: `job:{id}`, `run:{id}`, `site:{slug}` or `log:{slug}`.',
};
const op = (name: string) => ({ type: 'string', enum: [name] });
const frame = (required: readonly string[], properties: object) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});

/** Schema of the WebSocket messages, each of which is one JSON object. OpenAPI itself covers only the handshake. */
const messages = {
  client: {
    oneOf: [
      frame(['op', 'stream'], {
        op: op('subscribe'),
        stream,
        after: { type: 'integer', minimum: 0, description: 'Returns only events after this revision.' },
      }),
      frame(['op', 'stream'], { op: op('unsubscribe'), stream }),
      frame(['op', 'token'], {
        op: op('auth'),
        token: { type: 'string', description: 'Session token, access token or edit token.' },
      }),
    ],
  },
  server: frame(['event', 'data'], {
    stream: {
      ...stream,
      description: 'Name of the stream, as in the `subscribe` message. Absent if the message is not about a stream.',
    },
    id: {
      type: 'integer',
      description: 'Revision of the event. Absent for `end`, `reset`, `skipped` and `problem`.',
    },
    event: {
      type: 'string',
      description: 'Name of the event, as in the HTTP event stream, or `end`, `reset`, `skipped` or `problem`.',
    },
    data: {
      type: 'object',
      description: 'Data of the event. For a `problem`, a problem document (RFC 9457).',
      additionalProperties: true,
    },
  }),
};

/** Documents the gateway in OpenAPI, and refuses requests that don't open a WebSocket. */
@ApiTags('Live')
@Controller(LIVE_PATH)
export class LiveController {
  @ApiOperation({
    summary: 'Watch many streams on one WebSocket',
    description:
      'Opens a WebSocket (RFC 6455) with the credentials in the request headers. Cookies are accepted only from the service’s own origin. `x-websocket` describes the messages. The server closes the connection with code 1008 after too many messages at once, 1009 after a message larger than 4 KiB, 1012 when the server restarts, and 1013 if the IP address has reached its connection limit. Requests that do not open a WebSocket are refused with `invalid_request`.',
  })
  @ApiResponse({ status: 101, description: 'The connection continues as a WebSocket.' })
  @ApiExtension('x-websocket', messages)
  @Get()
  live(): never {
    return refuse(
      'invalid_request',
      'This URL accepts only WebSocket connections. Send the header “Upgrade: websocket”.',
    );
  }
}
