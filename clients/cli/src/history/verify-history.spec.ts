import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { canonicalize } from './canonical-json.js';
import { verifyLines } from './verify-history.js';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const { x = '' } = publicKey.export({ format: 'jwk' });
const jwk = { crv: 'Ed25519', kty: 'OKP', x };
const keyId = createHash('sha256').update(canonicalize(jwk)).digest('base64url');
const published = [jwk] as never;

type Event = Record<string, unknown> & { hash: string; previousHash: string | null };

function chain(...data: unknown[]): Event[] {
  let previousHash: string | null = null;
  return data.map((each, index) => {
    const event = { id: `evt_${index}`, stream: 'site-1', revision: index + 1, data: each };
    const hash = createHash('sha256')
      .update((previousHash ?? '') + canonicalize(event))
      .digest('hex');
    const whole = { ...event, hash, previousHash };
    previousHash = hash;
    return whole;
  });
}

function checkpointOf(events: readonly Event[]) {
  const checkpoint = { at: 'now', hash: events.at(-1)?.hash ?? '', revision: events.length, stream: 'site-1' };
  const signature = sign(null, Buffer.from(canonicalize({ checkpoint })), privateKey).toString('base64url');
  return { checkpoint, keyId, publicKey: jwk, signature };
}

const toLines = (...objects: unknown[]) => objects.map((each) => JSON.stringify(each));
const events = chain({ a: 1 }, { b: '“2”' }, { c: [null, true] });

describe('verifyLines', () => {
  it('accepts a history that is complete and signed', async () => {
    const verified = await verifyLines(toLines(...events, checkpointOf(events)), published);
    expect(verified).toEqual({ events: 3, head: events.at(-1)?.hash, keyId });
  });

  const [first, second, third] = events as [Event, Event, Event];
  const end = checkpointOf(events);
  it.each([
    ['an event that was changed', toLines(first, { ...second, data: { b: '3' } }, third, end), 'hash of revision 2'],
    ['an event that was removed', toLines(first, third, end), 'Revision 2 is missing'],
    ['a history that was cut', toLines(first, second), 'without a checkpoint'],
    ['a checkpoint of another revision', toLines(first, second, end), 'ends with revision 2, but its checkpoint'],
    ['a line after the checkpoint', toLines(first, second, third, end, first), 'after the checkpoint'],
    ['another signature', toLines(...events, { ...end, signature: 'AAAA' }), 'signature of its checkpoint'],
    ['a fault', toLines(first, { fault: { detail: 'Broken.' } }), 'Broken.'],
    ['a line that is not JSON', ['{"a'], 'Line 1 is not JSON'],
  ])('refuses %s', async (_, lines, message) => {
    await expect(verifyLines(lines, published)).rejects.toThrow(message);
  });

  it('refuses a history signed with a key that the instance does not publish', async () => {
    await expect(verifyLines(toLines(...events, end), [])).rejects.toThrow('does not publish');
  });
});

describe('canonicalize', () => {
  it('sorts object members by UTF-16 code units (RFC 8785, section 3.2.3)', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
    expect(canonicalize(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}');
  });
});
