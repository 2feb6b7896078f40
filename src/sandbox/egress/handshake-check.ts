import {
  CLIENT_HELLO,
  type ClientHello,
  ClientHelloReader,
  HANDSHAKE_RECORD,
  type HelloFault,
  RECORD_HEADER_BYTES,
} from './client-hello.js';

const CHANGE_CIPHER_SPEC = 20;
const ALERT = 21;
const APPLICATION_DATA = 23;
/** Maximum size of a record between two ClientHellos, without its header. */
const MAX_BETWEEN_BYTES = 2;

const FAULTS: Record<HelloFault, string> = {
  not_tls: 'was requested, but the client did not use TLS',
  malformed: 'was requested, but the TLS ClientHello is malformed',
  too_large: 'was requested, but the TLS ClientHello is larger than 16 KiB',
};

/** Bytes to forward, or the reason for a refusal. The reason completes a sentence that begins with the host. */
export type Checked = { readonly passed: readonly Uint8Array[] } | { readonly refused: string };

/**
 * Checks that the only server name at the beginning of a TLS connection is the requested host. A server can request a
 * second ClientHello (RFC 8446, section 4.1.4) and use the name in it, so the second one is checked as well. Later
 * data is encrypted and forwarded unchecked.
 */
export class HandshakeCheck {
  #reader: ClientHelloReader | null = new ClientHelloReader();
  /** Bytes of an incomplete record that follows the first ClientHello. */
  #held: Uint8Array = Buffer.alloc(0);
  #hasPassed = false;
  #isOver = false;

  /** `host` is in lower case, without a trailing dot. `canBeUnnamed` is true for an address listed by the operator. */
  constructor(
    private readonly host: string,
    private readonly canBeUnnamed: boolean,
  ) {}

  get hasPassed() {
    return this.#hasPassed;
  }

  check(chunk: Uint8Array): Checked {
    if (this.#isOver) return { passed: [chunk] };
    const passed: Uint8Array[] = [];
    let rest = chunk;
    while (rest.length > 0 && !this.#isOver) {
      const step = this.#reader ? this.#readHello(this.#reader, rest) : this.#readRecord(rest);
      if (typeof step === 'string') return { refused: step };
      passed.push(step.passed);
      rest = step.rest;
    }
    return { passed: [...passed, rest] };
  }

  #readHello(reader: ClientHelloReader, chunk: Uint8Array) {
    const read = reader.read(chunk);
    if (read === null) return HELD;
    // A connection that began with TLS cannot become another protocol, so the second ClientHello is reported as
    // malformed.
    if (typeof read === 'string') return FAULTS[this.#hasPassed && read === 'not_tls' ? 'malformed' : read];
    const refused = this.#refusalOf(read.hello);
    if (refused !== null) return refused;
    this.#hasPassed = true;
    this.#reader = null;
    return { passed: read.bytes, rest: read.rest };
  }

  /**
   * Reads records up to the first one that is not a ClientHello. Such a record means that the server has accepted the
   * last ClientHello.
   */
  #readRecord(chunk: Uint8Array) {
    const bytes = Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    const [type] = bytes;
    if (type === APPLICATION_DATA) return this.#end(bytes);
    if (type !== HANDSHAKE_RECORD && type !== CHANGE_CIPHER_SPEC && type !== ALERT) return FAULTS.malformed;
    if (bytes.length <= RECORD_HEADER_BYTES) return this.#hold(bytes);
    if (type === HANDSHAKE_RECORD) {
      if (bytes.readUInt16BE(3) > 0 && bytes[RECORD_HEADER_BYTES] !== CLIENT_HELLO) return this.#end(bytes);
      this.#reader = new ClientHelloReader();
      return { passed: NOTHING, rest: bytes };
    }
    const length = bytes.readUInt16BE(3);
    if (length > MAX_BETWEEN_BYTES) return FAULTS.malformed;
    const end = RECORD_HEADER_BYTES + length;
    return bytes.length < end ? this.#hold(bytes) : { passed: bytes.subarray(0, end), rest: bytes.subarray(end) };
  }

  #hold(bytes: Uint8Array) {
    this.#held = bytes;
    return HELD;
  }

  #end(bytes: Uint8Array) {
    this.#isOver = true;
    return { passed: NOTHING, rest: bytes };
  }

  #refusalOf({ serverName, hasEncryptedHello, hasEarlyData }: ClientHello): string | null {
    if (hasEncryptedHello) return 'was requested with Encrypted Client Hello, which must be turned off';
    // Early data is refused, because a second ClientHello after it would look like encrypted data.
    if (hasEarlyData) return 'was requested with TLS early data (0-RTT), which must be turned off';
    if (serverName === null)
      return this.canBeUnnamed
        ? null
        : 'was requested, but the TLS ClientHello names no host: the client must send SNI';
    const name = serverName.toLowerCase().replace(/\.$/, '');
    return name === this.host ? null : `was requested, but the TLS ClientHello names ${name}`;
  }
}

const NOTHING = Buffer.alloc(0);
const HELD = { passed: NOTHING, rest: NOTHING };
