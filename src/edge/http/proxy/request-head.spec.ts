import { describe, expect, it } from '@jest/globals';
import { requestHead } from './request-head.js';

const origin = { address: '203.0.113.9', proto: 'https', requestId: 'req_1' } as const;
const fieldsOf = (...rawHeaders: string[]) =>
  requestHead({ method: 'GET', url: '/a?b', rawHeaders: ['Host', 'a.example', ...rawHeaders] }, origin, false);
const OURS =
  'x-forwarded-for: 203.0.113.9\r\nx-forwarded-proto: https\r\nx-forwarded-host: a.example\r\nx-request-id: req_1\r\n';

describe('The head of a request to a site server', () => {
  it('contains the visitor’s request, and X-Forwarded headers with its origin', () =>
    expect(fieldsOf('Accept', '*/*', 'X-Own', 'a', 'Cookie', 'a=b')).toBe(
      `GET /a?b HTTP/1.1\r\nhost: a.example\r\nAccept: */*\r\nX-Own: a\r\ncookie: a=b\r\n${OURS}`,
    ));

  it('offers a WebSocket upgrade if the visitor does', () =>
    expect(
      requestHead({ method: 'GET', url: '/', rawHeaders: ['Host', 'a', 'Sec-WebSocket-Key', 'k'] }, origin, true),
    ).toContain(
      'Sec-WebSocket-Key: k\r\nx-forwarded-for: 203.0.113.9\r\nx-forwarded-proto: https\r\nx-forwarded-host: a\r\nx-request-id: req_1\r\nconnection: Upgrade\r\nupgrade: websocket\r\n',
    ));

  it.each([
    [
      'fields in which others describe the visitor',
      ['X-Forwarded-For', '1.1.1.1', 'x-forwarded-port', '1', 'Forwarded', 'for=1', 'X-Real-IP', '1.1.1.1'],
    ],
    [
      'fields about the visitor with underscores in their names',
      ['X_Forwarded_For', '1.1.1.1', 'x-forwarded_proto', 'http', 'X_Real-Ip', '1', 'X_REQUEST_ID', 'a'],
    ],
    [
      'framing fields with underscores in their names',
      ['Transfer_Encoding', 'chunked', 'content_length', '5', 'Keep_Alive', 'a', 'PROXY_CONNECTION', 'a'],
    ],
    ['framing fields', ['Content-Length', '5', 'Transfer-Encoding', 'chunked', 'Expect', '100-continue']],
    [
      'hop-by-hop fields',
      [
        'Connection',
        'keep-alive, X-Gone',
        'X-Gone',
        '1',
        'Keep-Alive',
        'a',
        'TE',
        'trailers',
        'Upgrade',
        'h2c',
        'HTTP2-Settings',
        'a',
        'Proxy-Connection',
        'a',
        'Proxy-Authorization',
        'a',
      ],
    ],
    [
      'tokens of the service',
      [
        'Authorization',
        'Bearer stele_session_abc',
        'x-svc-edit-token',
        'stele_edit_a',
        'X-SVC-Upload-Token',
        'a',
        'x_svc_edit_token',
        'a',
        'X-Stele-Server-Key',
        'a',
      ],
    ],
    ['the service’s cookies', ['Cookie', 'stele_visitor=a']],
  ])('omits %s', (_, sent) => expect(fieldsOf(...sent)).toBe(`GET /a?b HTTP/1.1\r\nhost: a.example\r\n${OURS}`));

  it('keeps the credentials that visitors use to sign in to the server', () =>
    expect(fieldsOf('Authorization', 'Basic YTpi')).toContain('\r\nAuthorization: Basic YTpi\r\n'));
});
