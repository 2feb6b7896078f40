import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect } from 'node:tls';

const RECORD_HEADER = 5;
const MESSAGE_HEADER = 4;
/** Offset of the session ID in the message, after header, version and random value. */
const SESSION_ID = MESSAGE_HEADER + 2 + 32;

/** Returns the first bytes that Node's own TLS client sends. */
export async function nodeClientHello(options: ConnectionOptions): Promise<Buffer> {
  const sent: Buffer[] = [];
  const line = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      sent.push(chunk);
      line.emit('sent');
      done();
    },
  });
  const whole = once(line, 'sent');
  const client = connect({ socket: line, ...options }).on('error', () => undefined);
  await whole;
  client.destroy();
  return Buffer.concat(sent);
}

function numberOf(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}

/** Prefixes the content with its length, encoded in `lengthBytes` bytes. */
export const vector = (lengthBytes: number, ...content: Buffer[]): Buffer => {
  const bytes = Buffer.concat(content);
  return Buffer.concat([numberOf(bytes.length, lengthBytes), bytes]);
};

export const extension = (type: number, content: Buffer): Buffer =>
  Buffer.concat([numberOf(type, 2), vector(2, content)]);

/** Returns a `server_name` extension with these names. Type 0 is a host name. */
export const serverName = (names: readonly (string | Buffer)[], type = 0): Buffer =>
  extension(0, vector(2, ...names.map((name) => Buffer.concat([numberOf(type, 1), vector(2, Buffer.from(name))]))));

/** Extracts the handshake message from TLS records. */
export function messageOf(records: Buffer): Buffer {
  const content: Buffer[] = [];
  for (let at = 0; at < records.length; ) {
    const end = at + RECORD_HEADER + records.readUInt16BE(at + 3);
    content.push(records.subarray(at + RECORD_HEADER, end));
    at = end;
  }
  return Buffer.concat(content);
}

export function recordsOf(message: Buffer, most = 16_384): Buffer {
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += most)
    records.push(Buffer.from([22, 3, 1]), vector(2, message.subarray(at, at + most)));
  return Buffer.concat(records);
}

/** Passes the extensions of a ClientHello to `change`, in order, and replaces them with its result. */
export function withExtensions(records: Buffer, change: (extensions: readonly Buffer[]) => readonly Buffer[]): Buffer {
  const message = messageOf(records);
  let at = SESSION_ID + 1 + message.readUInt8(SESSION_ID);
  at += 2 + message.readUInt16BE(at);
  at += 1 + message.readUInt8(at);
  const extensions: Buffer[] = [];
  for (let next = at + 2; next < message.length; ) {
    const end = next + 4 + message.readUInt16BE(next + 2);
    extensions.push(message.subarray(next, end));
    next = end;
  }
  const body = Buffer.concat([message.subarray(MESSAGE_HEADER, at), vector(2, ...change(extensions))]);
  return recordsOf(Buffer.concat([message.subarray(0, 1), vector(3, body)]));
}
