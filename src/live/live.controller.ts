import { Controller, Get } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { refuse } from '../kernel/refusal.js';
import { LIVE_PATH } from './live.gateway.js';

const stream = { type: 'string', description: '`job:{id}`, `run:{id}`, `site:{slug}` or `log:{slug}`.' };
const op = (name: string) => ({ type: 'string', enum: [name] });
const frame = (required: readonly string[], properties: object) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});

/** OpenAPI describes the handshake of a WebSocket; this describes its messages. Each is one JSON object. */
const messages = {
  client: {
    oneOf: [
      frame(['op', 'stream'], {
        op: op('subscribe'),
        stream,
        after: { type: 'integer', minimum: 0, description: 'Resumes after this revision.' },
      }),
      frame(['op', 'stream'], { op: op('unsubscribe'), stream }),
      frame(['op', 'token'], { op: op('auth'), token: { type: 'string', description: 'A session’s or a site’s.' } }),
    ],
  },
  server: frame(['event', 'data'], {
    stream: { ...stream, description: 'As it was subscribed; not there where the frame is about none.' },
    id: {
      type: 'integer',
      description: 'The revision of the event; `end`, `reset`, `skipped` and `problem` have none.',
    },
    event: { type: 'string', description: 'As in the stream’s own address, or `end`, `reset`, `skipped`, `problem`.' },
    data: { type: 'object', description: 'Of a `problem`: as RFC 9457 has it.', additionalProperties: true },
  }),
};

/** Describes the gateway, and answers requests that ask for no WebSocket. */
@ApiTags('Live')
@Controller(LIVE_PATH)
export class LiveController {
  @ApiOperation({
    summary: 'Many streams on one WebSocket',
    description:
      'A handshake as RFC 6455 has it, with the rights of its headers: a cookie only from the service’s own origin. Everything else is said in messages (`x-websocket`). Closed with 1008 after too many messages at once, 1009 after a message over 4 KiB, 1012 when the server restarts, 1013 when the address holds all the connections it may. Any other request is refused with `invalid_request`.',
  })
  @ApiResponse({ status: 101, description: 'It goes on as a WebSocket.' })
  @ApiExtension('x-websocket', messages)
  @Get()
  live(): never {
    return refuse('invalid_request', 'This address takes WebSockets alone: ask with `upgrade: websocket`.');
  }
}
