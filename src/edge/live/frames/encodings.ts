import type { EventText } from '../live-stream.js';
import { type Frame, isShown } from './frame.js';

/** How long a browser waits before it reconnects (docs/interface/streams.md, "Server-sent events"). */
const RETRY_MS = 2_000;

/** Events of a log that a slow client did not get. They can be read with `?after=` and `?before=`. */
export type Skipped = { readonly count: number; readonly after: number; readonly before: number };

/** Encodes frames for one kind of client. Clients that use the same object share the encoded bytes. */
export type Encoding = {
  /** Bytes that a client gets before the first frame. */
  readonly opening: Buffer | null;
  /** Encodes all frames except hidden ones. Returns an empty buffer if all of them are hidden. */
  readonly frames: (frames: readonly Frame[]) => Buffer;
  /** Keeps the connection alive. Null if the protocol has its own pings. */
  readonly heartbeat: Buffer | null;
  /** Marks the end of the stream. After it, clients should not reconnect. */
  readonly end: Buffer;
  /** Announces that the stream starts again from its first event. */
  readonly reset: Buffer;
  /** Reports the events of a log that were skipped for a slow client. This message has no ID. */
  readonly skipped?: (skipped: Skipped) => Buffer;
  /** Announces that this process is stopping, and how long to wait before reconnecting. Null if nothing is sent. */
  readonly farewell: (retryMs: number) => Buffer | null;
};

type EncodingTexts = {
  readonly opening: string;
  readonly frame: (frame: Frame) => string;
  readonly heartbeat: string;
  readonly end: string;
  readonly reset: string;
  readonly skipped: (data: string) => string;
  readonly farewell: (retryMs: number) => string;
};

/** Server-sent events (HTML standard, 9.2). A reset has an empty ID, which clears the browser's last event ID. */
const eventStream: EncodingTexts = {
  opening: `retry: ${RETRY_MS}\n\n`,
  frame: ({ revision, event, data }) => `id: ${revision}\nevent: ${event}\ndata: ${data}\n\n`,
  heartbeat: ': still here\n\n',
  end: 'event: end\ndata: {}\n\n',
  reset: 'id:\nevent: reset\ndata: {}\n\n',
  skipped: (data) => `event: skipped\ndata: ${data}\n\n`,
  farewell: (retryMs) => `retry: ${retryMs}\n\n`,
};

/** One line of JSON for each frame. An empty line is a heartbeat. */
const lines: EncodingTexts = {
  opening: '\n',
  frame: ({ revision, event, data }) => `{"id":${revision},"event":${JSON.stringify(event)},"data":${data}}\n`,
  heartbeat: '\n',
  end: '{"event":"end","data":{}}\n',
  reset: '{"event":"reset","data":{}}\n',
  skipped: (data) => `{"event":"skipped","data":${data}}\n`,
  farewell: () => '',
};

/** Plain text for people to read, without heartbeats. */
const texts = (textOf: EventText): EncodingTexts => ({
  opening: '',
  frame: ({ event, data }) => textOf(event ?? '', JSON.parse(data)),
  heartbeat: '',
  end: '',
  reset: '',
  skipped: (data) => textOf('skipped', JSON.parse(data)),
  farewell: () => '',
});

/** Encodes one chunk of a chunked body (RFC 9112 section 7.1). */
function chunk(text: string): Buffer {
  const size = Buffer.byteLength(text);
  return Buffer.from(`${size.toString(16)}\r\n${text}\r\n`);
}

/** Encodes one unmasked text message (RFC 6455 section 5.2). */
export function message(text: string): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.alloc(body.length < 126 ? 2 : body.length < 65_536 ? 4 : 10);
  head[0] = 0x81;
  if (head.length === 2) head[1] = body.length;
  else if (head.length === 4) {
    head[1] = 126;
    head.writeUInt16BE(body.length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(body.length), 2);
  }
  return Buffer.concat([head, body]);
}

/** A ping without data (RFC 6455 section 5.5.2). */
export const PING = Buffer.from([0x89, 0]);

/** Encodes the response to a ping, with the ping's data of up to 125 bytes (RFC 6455 section 5.5.3). */
export const pong = (data: Buffer): Buffer => Buffer.concat([Buffer.from([0x8a, data.length]), data]);

/** Returns the data of a `skipped` message. IDs are strings of digits, as in the entries of the log. */
const skippedData = ({ count, after, before }: Skipped) =>
  JSON.stringify({ count, after: String(after), before: String(before) });

const body = (texts: EncodingTexts, wrap: (text: string) => Buffer): Encoding => ({
  opening: texts.opening === '' ? null : wrap(texts.opening),
  frames: (frames) => {
    const text = frames.filter(isShown).map(texts.frame).join('');
    return text === '' ? NOTHING : wrap(text);
  },
  heartbeat: texts.heartbeat === '' ? null : wrap(texts.heartbeat),
  end: texts.end === '' ? NOTHING : wrap(texts.end),
  reset: texts.reset === '' ? NOTHING : wrap(texts.reset),
  skipped: (skipped) => {
    const text = texts.skipped(skippedData(skipped));
    return text === '' ? NOTHING : wrap(text);
  },
  farewell: (retryMs) => {
    const text = texts.farewell(retryMs);
    return text === '' ? null : wrap(text);
  },
});

const NOTHING = Buffer.alloc(0);

const plain = (text: string) => Buffer.from(text);

/** Encodings of an HTTP body. `plain` is for HTTP/1.0, which has no chunks. */
type BodyEncoding = { readonly chunked: Encoding; readonly plain: Encoding };

const bodies = (texts: EncodingTexts): BodyEncoding => ({ chunked: body(texts, chunk), plain: body(texts, plain) });

export const encodings = { eventStream: bodies(eventStream), lines: bodies(lines) } as const;

const textBodies = new Map<EventText, BodyEncoding>();

/** Returns the text encoding, which all streams with the same `textOf` share. */
export function textEncoding(textOf: EventText): BodyEncoding {
  const made = textBodies.get(textOf) ?? bodies(texts(textOf));
  textBodies.set(textOf, made);
  return made;
}

/** Returns the encoding for a WebSocket stream. Each message contains the name that the client subscribed to. */
export function createMessageEncoding(name: string): Encoding {
  const stream = JSON.stringify(name);
  return {
    opening: null,
    frames: (frames) =>
      Buffer.concat(
        frames
          .filter(isShown)
          .map(({ revision, event, data }) =>
            message(`{"stream":${stream},"id":${revision},"event":${JSON.stringify(event)},"data":${data}}`),
          ),
      ),
    heartbeat: null,
    end: message(`{"stream":${stream},"event":"end","data":{}}`),
    reset: message(`{"stream":${stream},"event":"reset","data":{}}`),
    skipped: (skipped) => message(`{"stream":${stream},"event":"skipped","data":${skippedData(skipped)}}`),
    farewell: () => null,
  };
}
