import { randomBytes, randomInt } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  extension,
  messageOf,
  nodeClientHello,
  recordsOf,
  serverName,
  vector,
  withExtensions,
} from '../../../test/support/hostile/client-hello.js';
import { cpuClock } from '../../../test/support/hostile/cpu-clock.js';
import { ClientHelloReader, type HelloFault, MAX_HELLO_BYTES, type ReadClientHello } from './client-hello.js';

const NAME = 'registry.npmjs.org';
/** GREASE: reserved values that clients send to make sure that servers ignore unknown values (RFC 8701). */
const GREASE = [0x0a0a, 0x1a1a, 0xfafa];

type Read = ReadClientHello['hello'] | HelloFault | null;

/** Reads a ClientHello from pieces. Returns null if it is incomplete. */
function read(...pieces: readonly Uint8Array[]): Read {
  const reader = new ClientHelloReader();
  for (const piece of pieces) {
    const result = reader.read(piece);
    if (result !== null) return typeof result === 'string' ? result : result.hello;
  }
  return null;
}

const isServerName = (each: Buffer) => each.readUInt16BE(0) === 0;

describe('Reading a ClientHello', () => {
  let named: Buffer;
  let unnamed: Buffer;
  beforeAll(async () => {
    named = await nodeClientHello({ servername: NAME });
    unnamed = await nodeClientHello({});
  });

  const plain = { hasEncryptedHello: false, hasEarlyData: false };
  const more = (...added: Buffer[]) => withExtensions(named, (own) => [...own, ...added]);
  const namedBy = (...names: Buffer[]) =>
    withExtensions(named, (own) => [...own.filter((each) => !isServerName(each)), ...names]);

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'the ClientHello of Node’s %s client is read, with or without a server name',
    async (version) => {
      const versions = { minVersion: version, maxVersion: version };
      const hello = await nodeClientHello({ servername: NAME, ALPNProtocols: ['h2', 'http/1.1'], ...versions });
      expect(read(hello)).toEqual({ serverName: NAME, ...plain });
      expect(read(await nodeClientHello(versions))).toEqual({ serverName: null, ...plain });
    },
  );

  it('a ClientHello with reserved (GREASE) values can be read', () => {
    const greased = more(...GREASE.map((type) => extension(type, Buffer.alloc(type % 3))));
    expect(read(greased)).toEqual({ serverName: NAME, ...plain });
  });

  it('a ClientHello can be split into any number of packets, and is incomplete until its last byte arrives', () => {
    for (let at = 1; at < named.length; at++) {
      expect(read(named.subarray(0, at))).toBeNull();
      expect(read(named.subarray(0, at), named.subarray(at))).toEqual({ serverName: NAME, ...plain });
    }
    expect(read(...Array.from(named, (byte) => Buffer.of(byte)))).toEqual({ serverName: NAME, ...plain });
  });

  it('a ClientHello can be split into any number of TLS records', () => {
    const message = messageOf(named);
    for (let most = 1; most <= message.length; most++)
      expect(read(recordsOf(message, most))).toEqual({ serverName: NAME, ...plain });
    const bytes = recordsOf(message, 7);
    expect(read(...Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual({ serverName: NAME, ...plain });
  });

  it('a ClientHello is returned unchanged, along with the bytes that follow it', () => {
    const after = randomBytes(100);
    const result = new ClientHelloReader().read(Buffer.concat([named, after]));
    expect(result).toMatchObject({ bytes: named, rest: after });
  });

  it.each([0xfe0d, 0xfe08, 0xff02, 0xffce])(
    'an encrypted ClientHello inside the message is recognized (extension %i)',
    (type) => {
      expect(read(more(extension(type, randomBytes(200))))).toEqual({
        ...plain,
        serverName: NAME,
        hasEncryptedHello: true,
      });
    },
  );

  it('early data is recognized', () => {
    expect(read(more(extension(42, Buffer.alloc(0))))).toEqual({ ...plain, serverName: NAME, hasEarlyData: true });
  });

  it('a ClientHello without extensions has no server name', () => {
    const message = messageOf(withExtensions(named, () => []));
    const body = message.subarray(4, -2);
    expect(read(recordsOf(Buffer.concat([Buffer.of(1), vector(3, body)])))).toEqual({ serverName: null, ...plain });
  });

  it.each<[string, () => Buffer]>([
    ['two names', () => namedBy(serverName([NAME, 'example.org']))],
    ['two extensions with a name', () => namedBy(serverName([NAME]), serverName(['example.org']))],
    ['the same extension twice', () => more(extension(0x0a0a, Buffer.alloc(0)), extension(0x0a0a, Buffer.alloc(0)))],
    ['a name of another type', () => namedBy(serverName([NAME], 1))],
    ['no name in the list', () => namedBy(serverName([]))],
    ['an empty name', () => namedBy(serverName(['']))],
    ['a NUL in the name', () => namedBy(serverName([`${NAME}\0.example.org`]))],
    ['a line break in the name', () => namedBy(serverName([`${NAME}\n`]))],
    ['a letter in the name that is not ASCII', () => namedBy(serverName(['ｒegistry.npmjs.org']))],
    ['a name of 254 bytes', () => namedBy(serverName(['a'.repeat(254)]))],
    [
      'bytes after the name',
      () => namedBy(extension(0, Buffer.concat([serverName([NAME]).subarray(4), Buffer.of(0)]))),
    ],
    ['a list of names that is too short', () => namedBy(extension(0, serverName([NAME]).subarray(4, -1)))],
    [
      'bytes after the extensions',
      () => recordsOf(Buffer.concat([Buffer.of(1), vector(3, messageOf(named).subarray(4), Buffer.of(0))])),
    ],
    ['another message in the same record', () => recordsOf(Buffer.concat([messageOf(named), messageOf(unnamed)]))],
    [
      'an empty record inside',
      () => Buffer.concat([recordsOf(messageOf(named).subarray(0, 9)), Buffer.from([22, 3, 1, 0, 0])]),
    ],
    [
      'a record of another type inside',
      () => Buffer.concat([recordsOf(messageOf(named).subarray(0, 9)), Buffer.from([20, 3, 1, 0, 1, 1])]),
    ],
    ['another message type', () => Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])],
    ['the version of another protocol', () => Buffer.concat([named.subarray(0, 9), Buffer.of(2), named.subarray(10)])],
  ])('a ClientHello with %s is malformed', (_name, bytes) => {
    expect(read(bytes())).toBe('malformed');
  });

  it.each([
    ['HTTP', 'GET / HTTP/1.1\r\n'],
    ['SSH', 'SSH-2.0-OpenSSH\r\n'],
    ['SSL 2', Buffer.from([0x80, 0x2e, 1, 3, 1])],
    ['a record of another type', Buffer.from([23, 3, 3, 0, 1, 0])],
    ['a record of an unknown version', Buffer.from([22, 2])],
  ])('%s is not mistaken for a ClientHello', (_name, bytes) => {
    expect(read(Buffer.from(bytes))).toBe('not_tls');
  });

  it('a ClientHello is refused as soon as one of its length fields exceeds 16 KiB', () => {
    const sized = (size: number) => more(extension(21, Buffer.alloc(size - named.length - 4)));
    expect(read(sized(MAX_HELLO_BYTES))).toEqual({ serverName: NAME, ...plain });
    expect(read(sized(MAX_HELLO_BYTES + 1))).toBe('too_large');
    expect(read(Buffer.from([22, 3, 1, 0x40, 0]))).toBe('too_large');
    expect(read(Buffer.from([22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff]))).toBe('too_large');
    expect(read(recordsOf(Buffer.concat([Buffer.from([1, 0, 0x3f, 0xf0]), Buffer.alloc(16_000)]), 1))).toBe(
      'too_large',
    );
  });

  it('reading a ClientHello takes little CPU time, no matter how it is split', () => {
    const bytes = recordsOf(messageOf(more(extension(21, Buffer.alloc(900)))), 1);
    const pieces = Array.from(bytes, (byte) => Buffer.of(byte));
    const spent = cpuClock();
    expect(read(...pieces)).toEqual({ serverName: NAME, ...plain });
    expect(spent()).toBeLessThan(500);
  });

  it('random, truncated or modified bytes are either read as a ClientHello or refused', () => {
    const outcomes = new Set<string>();
    const note = (result: Read) => {
      if (result === null || typeof result === 'string') return void outcomes.add(result ?? 'incomplete');
      outcomes.add('read');
      expect(Object.keys(result).sort()).toEqual(['hasEarlyData', 'hasEncryptedHello', 'serverName']);
    };
    for (let n = 0; n < 2_000; n++) {
      const random = randomBytes(randomInt(1, 600));
      note(read(random));
      // Adds valid length fields, so that the inner fields are parsed.
      note(read(recordsOf(Buffer.concat([Buffer.of(1), vector(3, random)]), randomInt(1, 700))));
      const changed = Buffer.from(named);
      for (let times = randomInt(1, 4); times > 0; times--) changed[randomInt(changed.length)] = randomInt(256);
      note(read(changed));
      const cut = messageOf(named).subarray(4, randomInt(5, named.length - 5));
      // A message that ends before the extensions has no server name.
      expect(['malformed', { serverName: null, ...plain }]).toContainEqual(
        read(recordsOf(Buffer.concat([Buffer.of(1), vector(3, cut)]))),
      );
    }
    const known = ['incomplete', 'malformed', 'not_tls', 'read', 'too_large'];
    expect([...outcomes].filter((each) => !known.includes(each))).toEqual([]);
    expect([...outcomes]).toEqual(expect.arrayContaining(['malformed', 'not_tls', 'read']));
  });
});
