import { describe, expect, it } from '@jest/globals';
import { createMessageEncoding, encodings, message, textEncoding } from './encodings.js';
import type { Frame } from './frame.js';

const frames: readonly Frame[] = [
  { revision: 1, event: 'job.log', data: '{"line":"ä"}', isFinal: false },
  { revision: 2, event: null, data: '', isFinal: false },
  { revision: 3, event: 'job.succeeded', data: '{}', isFinal: true },
];
const hidden = frames.slice(1, 2);

describe('Server-sent events', () => {
  const { plain } = encodings.eventStream;

  it('server-sent events make browsers wait two seconds before they reconnect', () => {
    expect(String(plain.opening)).toBe('retry: 2000\n\n');
  });

  it('server-sent events use the revision as their ID, and hidden events are left out', () => {
    expect(String(plain.frames(frames))).toBe(
      'id: 1\nevent: job.log\ndata: {"line":"ä"}\n\nid: 3\nevent: job.succeeded\ndata: {}\n\n',
    );
    expect(plain.frames(hidden)).toHaveLength(0);
  });

  it('a reset clears the browser’s last event ID, but the end of the stream keeps it', () => {
    expect(String(plain.reset)).toBe('id:\nevent: reset\ndata: {}\n\n');
    expect(String(plain.end)).toBe('event: end\ndata: {}\n\n');
  });

  it('the heartbeat of server-sent events is a comment, and a stopping server sets a reconnection delay', () => {
    expect(String(plain.heartbeat)).toMatch(/^: .*\n\n$/);
    expect(String(plain.farewell(1_500))).toBe('retry: 1500\n\n');
  });
});

describe('Events as lines of JSON', () => {
  const { plain } = encodings.lines;

  it('each shown event is one JSON object on its own line', () => {
    expect(String(plain.frames(frames))).toBe(
      '{"id":1,"event":"job.log","data":{"line":"ä"}}\n{"id":3,"event":"job.succeeded","data":{}}\n',
    );
  });

  it('in JSON lines, the opening message and heartbeats are empty lines, and a stopping server sends nothing', () => {
    expect([String(plain.opening), String(plain.heartbeat), plain.farewell(1_500)]).toEqual(['\n', '\n', null]);
  });

  it('in JSON lines, the messages for a reset and for the end of the stream have no ID', () => {
    expect([String(plain.end), String(plain.reset)]).toEqual([
      '{"event":"end","data":{}}\n',
      '{"event":"reset","data":{}}\n',
    ]);
  });
});

describe('Events as text', () => {
  const textOf = (event: string, { line = '' }: { line?: string }) => (event === 'job.log' ? `${line}\n` : '');
  const { plain, chunked } = textEncoding(textOf);

  it('shown events are written in the stream’s own text form', () => {
    expect(String(plain.frames(frames))).toBe('ä\n');
    expect(plain.frames(frames.slice(1))).toHaveLength(0);
    for (const { opening, heartbeat, end, reset, farewell } of [plain, chunked])
      expect([opening, heartbeat, end.length, reset.length, farewell(1_500)]).toEqual([null, null, 0, 0, null]);
  });

  it('all clients that watch streams of one kind as text share one encoding', () =>
    expect(textEncoding(textOf).plain).toBe(plain));
});

describe('Chunks of an HTTP body', () => {
  it('chunks of an HTTP body begin with their size in bytes, not characters', () => {
    const text = '{"id":1,"event":"job.log","data":{"line":"ä"}}\n';
    expect(String(encodings.lines.chunked.frames(frames.slice(0, 1)))).toBe(`30\r\n${text}\r\n`);
    expect(Buffer.byteLength(text)).toBe(0x30);
  });

  it('chunks of an HTTP body are never empty, because an empty chunk would end the body', () => {
    expect(encodings.eventStream.chunked.frames(hidden)).toHaveLength(0);
    expect(encodings.lines.chunked.farewell(1_500)).toBeNull();
  });
});

describe('WebSocket messages', () => {
  it('WebSocket messages are unmasked text frames with the shortest possible length field', () => {
    const head = (length: number) => [...message('x'.repeat(length)).subarray(0, -length)];
    expect(head(125)).toEqual([0x81, 125]);
    expect(head(126)).toEqual([0x81, 126, 0, 126]);
    expect(head(65_535)).toEqual([0x81, 126, 255, 255]);
    expect(head(65_536)).toEqual([0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]);
  });

  it('WebSocket messages contain their length in bytes', () => {
    expect([...message('ä')]).toEqual([0x81, 2, ...Buffer.from('ä')]);
  });

  it('each shown event becomes one WebSocket message with the name that the client subscribed to', () => {
    const encoding = createMessageEncoding('site:"a"');
    const texts = [
      '{"stream":"site:\\"a\\"","id":1,"event":"job.log","data":{"line":"ä"}}',
      '{"stream":"site:\\"a\\"","id":3,"event":"job.succeeded","data":{}}',
    ];
    expect(encoding.frames(frames)).toEqual(Buffer.concat(texts.map(message)));
    expect(encoding.end).toEqual(message('{"stream":"site:\\"a\\"","event":"end","data":{}}'));
    expect(encoding.reset).toEqual(message('{"stream":"site:\\"a\\"","event":"reset","data":{}}'));
  });

  it('WebSocket clients get no opening, heartbeat or closing message, because the protocol has its own', () => {
    const { opening, heartbeat, farewell } = createMessageEncoding('a');
    expect([opening, heartbeat, farewell(1)]).toEqual([null, null, null]);
  });
});
