/** The part of a TLS ClientHello (RFC 8446, section 4.1.2) that identifies the requested host. */
export type ClientHello = {
  /** The host name in the `server_name` extension (SNI) as sent, or null if there is none. */
  readonly serverName: string | null;
  /** True if the message contains an encrypted ClientHello, which can contain the name of another host. */
  readonly hasEncryptedHello: boolean;
  /** True if application data follows before the server has responded. */
  readonly hasEarlyData: boolean;
};

export type HelloFault = 'not_tls' | 'malformed' | 'too_large';

export type ReadClientHello = {
  readonly hello: ClientHello;
  /** The records of the ClientHello, exactly as they arrived. */
  readonly bytes: Buffer;
  readonly rest: Buffer;
};

/** Maximum size of a ClientHello, including the headers of its records. */
export const MAX_HELLO_BYTES = 16_384;

export const RECORD_HEADER_BYTES = 5;
export const HANDSHAKE_RECORD = 22;
export const CLIENT_HELLO = 1;
/** Major version of SSL 3, which all TLS versions use. */
const MAJOR_VERSION = 3;
const MESSAGE_HEADER_BYTES = 4;
const RANDOM_BYTES = 32;

const SERVER_NAME = 0;
const HOST_NAME = 0;
const EARLY_DATA = 42;
/** Extension numbers of `encrypted_client_hello` (RFC 9849 and drafts) and `encrypted_server_name`. */
const ENCRYPTED_HELLO = new Set([0xfe0d, 0xfe0c, 0xfe0b, 0xfe0a, 0xfe09, 0xfe08, 0xff03, 0xff02, 0xffce]);

/** Matches host names and IP addresses. Names that do not match are neither forwarded nor logged. */
const NAME = /^[\w.:-]{1,253}$/;

/**
 * Reads a ClientHello, no matter how it is split into records and packets. Accepts only messages that every server
 * interprets in the same way: all lengths match, the records contain nothing but the ClientHello, and no extension
 * occurs twice.
 */
export class ClientHelloReader {
  readonly #received = new GrowingBuffer();
  readonly #message = new GrowingBuffer();
  #at = 0;

  /**
   * Reads more bytes. Returns null while the ClientHello is incomplete. Must not be called again after any other
   * result.
   */
  read(chunk: Uint8Array): ReadClientHello | HelloFault | null {
    this.#received.append(chunk);
    for (;;) {
      const record = this.#received.bytes.subarray(this.#at);
      const fault = this.#faultIn(record);
      if (fault !== null) return fault;
      if (record.length < RECORD_HEADER_BYTES) return null;
      const length = RECORD_HEADER_BYTES + record.readUInt16BE(3);
      if (this.#at + length > MAX_HELLO_BYTES) return 'too_large';
      if (record.length < length) return null;
      this.#message.append(record.subarray(RECORD_HEADER_BYTES, length));
      this.#at += length;
      const complete = this.#complete();
      if (complete !== null) return complete;
    }
  }

  /** Checks the part of a record that has arrived, so that other protocols are refused at their first byte. */
  #faultIn(record: Buffer): HelloFault | null {
    const isFirst = this.#at === 0;
    const [type = HANDSHAKE_RECORD, major = MAJOR_VERSION] = record;
    if (type !== HANDSHAKE_RECORD || major !== MAJOR_VERSION) return isFirst ? 'not_tls' : 'malformed';
    if (record.length < RECORD_HEADER_BYTES) return null;
    // Empty handshake records are not allowed (RFC 8446, section 5.1).
    if (record.readUInt16BE(3) === 0) return 'malformed';
    const messageType = record[RECORD_HEADER_BYTES] ?? CLIENT_HELLO;
    return isFirst && messageType !== CLIENT_HELLO ? 'malformed' : null;
  }

  #complete(): ReadClientHello | HelloFault | null {
    const message = this.#message.bytes;
    if (message.length < MESSAGE_HEADER_BYTES) return null;
    const length = MESSAGE_HEADER_BYTES + message.readUIntBE(1, 3);
    if (length > MAX_HELLO_BYTES) return 'too_large';
    if (message.length < length) return null;
    const hello = message.length === length ? parseClientHello(message.subarray(MESSAGE_HEADER_BYTES)) : null;
    if (hello === null) return 'malformed';
    const received = this.#received.bytes;
    return { hello, bytes: received.subarray(0, this.#at), rest: received.subarray(this.#at) };
  }
}

/** Parses a ClientHello without its header. Returns null if it is malformed. */
function parseClientHello(message: Buffer): ClientHello | null {
  const fields = new Fields(message);
  const major = fields.number(1);
  fields.skip(1 + RANDOM_BYTES);
  fields.vector(1, 0, 32);
  const cipherSuites = fields.vector(2, 2, 65_534);
  fields.vector(1, 1, 255);
  if (major !== MAJOR_VERSION || cipherSuites.length % 2 !== 0) return null;
  // Before TLS 1.2, a ClientHello could end without extensions.
  const extensions = fields.isAtEnd ? new Map<number, Buffer>() : readExtensions(fields);
  if (extensions === null || fields.isShort || !fields.isAtEnd) return null;
  const names = extensions.get(SERVER_NAME);
  const serverName = names === undefined ? null : readServerName(names);
  if (serverName === undefined) return null;
  const types = [...extensions.keys()];
  return {
    serverName,
    hasEncryptedHello: types.some((type) => ENCRYPTED_HELLO.has(type)),
    hasEarlyData: extensions.has(EARLY_DATA),
  };
}

/** Reads extensions. Returns null if one occurs twice, because servers differ in which one they use. */
function readExtensions(fields: Fields): Map<number, Buffer> | null {
  const list = new Fields(fields.vector(2, 0, 65_535));
  const extensions = new Map<number, Buffer>();
  while (!list.isAtEnd && !list.isShort) {
    const type = list.number(2);
    if (extensions.has(type)) return null;
    extensions.set(type, list.vector(2, 0, 65_535));
  }
  return list.isShort ? null : extensions;
}

/** Returns the only host name in the list (RFC 6066, section 3), or undefined if there is not exactly one. */
function readServerName(extension: Buffer): string | undefined {
  const fields = new Fields(extension);
  const list = new Fields(fields.vector(2, 1, 65_535));
  const type = list.number(1);
  const name = list.vector(2, 1, 65_535).toString('latin1');
  const isWhole = !fields.isShort && fields.isAtEnd && !list.isShort && list.isAtEnd;
  return isWhole && type === HOST_NAME && NAME.test(name) ? name : undefined;
}

/**
 * Reads one field after another. Once a field exceeds the buffer, `isShort` is true, and this field and all further
 * ones are empty.
 */
class Fields {
  #at = 0;
  isShort = false;

  constructor(private readonly bytes: Buffer) {}

  get isAtEnd() {
    return this.#at === this.bytes.length;
  }

  skip(length: number): Buffer {
    const end = this.#at + length;
    this.isShort ||= end > this.bytes.length;
    if (this.isShort) return Buffer.alloc(0);
    const field = this.bytes.subarray(this.#at, end);
    this.#at = end;
    return field;
  }

  number(bytes: 1 | 2): number {
    const field = this.skip(bytes);
    return this.isShort ? 0 : field.readUIntBE(0, bytes);
  }

  vector(lengthBytes: 1 | 2, min: number, max: number): Buffer {
    const length = this.number(lengthBytes);
    this.isShort ||= length < min || length > max;
    return this.skip(length);
  }
}

/** A contiguous buffer that doubles in size when it is full. Bytes may be added one at a time. */
class GrowingBuffer {
  #memory = Buffer.allocUnsafe(2_048);
  #length = 0;

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  append(chunk: Uint8Array) {
    const length = this.#length + chunk.length;
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#memory.length));
      larger.set(this.bytes);
      this.#memory = larger;
    }
    this.#memory.set(chunk, this.#length);
    this.#length = length;
  }
}
