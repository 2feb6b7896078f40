import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { preAuthEncoding, signedEnvelope } from './dsse.js';

describe('preAuthEncoding', () => {
  it.each([
    // DSSE 1.0, protocol.md, "Test Vectors".
    ['http://example.com/HelloWorld', 'hello world', 'DSSEv1 29 http://example.com/HelloWorld 11 hello world'],
    ['', '', 'DSSEv1 0  0 '],
    ['a', 'é😀', 'DSSEv1 1 a 6 é😀'],
  ])('the encoding to sign includes the byte lengths of type and payload: %j, %j', (type, payload, encoded) =>
    expect(preAuthEncoding(type, payload)).toBe(encoded),
  );

  it('the signed encoding changes if a part of the payload is moved into the type', () =>
    expect(preAuthEncoding('a', ' 1 b')).not.toBe(preAuthEncoding('a 4 ', '1 b')));
});

describe('signedEnvelope', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');

  it('a signed envelope contains the payload and its signature, both in standard base64', async () => {
    const signature = (text: string) => sign(null, Buffer.from(text), privateKey).toString('base64url');
    const envelope = await signedEnvelope('text/plain', 'é', async (text) => ({
      signature: signature(text),
      key: { kid: 'k' },
    }));
    expect(envelope).toEqual({
      payloadType: 'text/plain',
      payload: 'w6k=',
      signatures: [{ keyid: 'k', sig: expect.stringMatching(/^[0-9A-Za-z+/]{86}==$/) }],
    });
    const sig = Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64');
    expect(verify(null, Buffer.from('DSSEv1 10 text/plain 2 é'), publicKey, sig)).toBe(true);
  });
});
