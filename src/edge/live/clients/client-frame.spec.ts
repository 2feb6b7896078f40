import { describe, expect, it } from '@jest/globals';
import { readFrame } from './client-frame.js';

const read = (frame: unknown) => readFrame(JSON.stringify(frame));
const unclear = (path: string, message: string) => ({ op: 'unclear', path, message });

describe('A message from a client', () => {
  it('a message can subscribe from the beginning or after a revision', () => {
    expect(read({ op: 'subscribe', stream: 'job:a' })).toEqual({ op: 'subscribe', stream: 'job:a', after: 0 });
    expect(read({ op: 'subscribe', stream: 'job:a', after: 7 })).toEqual({
      op: 'subscribe',
      stream: 'job:a',
      after: 7,
    });
  });

  it('a message may contain the revision as a string, like the ID of a server-sent event', () => {
    expect(read({ op: 'subscribe', stream: 'job:a', after: '7' })).toMatchObject({ after: 7 });
  });

  it('a message can unsubscribe, or send a new token', () => {
    expect(read({ op: 'unsubscribe', stream: 'job:a' })).toEqual({ op: 'unsubscribe', stream: 'job:a' });
    expect(read({ op: 'auth', token: 't' })).toEqual({ op: 'auth', token: 't' });
  });

  it.each([-1, 1.5, 2 ** 53, '', '-1', '1e3', '1234567890123456', null, true, [7]])(
    'a message is malformed if its revision is %j',
    (after) =>
      expect(read({ op: 'subscribe', stream: 'job:a', after })).toEqual(
        unclear('after', 'must be a revision (a non-negative integer)'),
      ),
  );

  it.each([undefined, '', 7, 'x'.repeat(257)])('a message is malformed if its stream or token is %j', (text) => {
    const noStream = unclear('stream', 'must be a stream name of at most 256 characters');
    expect(read({ op: 'subscribe', stream: text })).toEqual(noStream);
    expect(read({ op: 'unsubscribe', stream: text })).toEqual(noStream);
    expect(read({ op: 'auth', token: text })).toEqual(unclear('token', 'must be a token of at most 256 characters'));
  });

  it('a message may contain names and tokens of up to 256 characters', () => {
    expect(read({ op: 'unsubscribe', stream: 'x'.repeat(256) }).op).toBe('unsubscribe');
  });

  it('a message is malformed if its field `op` is unknown or missing', () => {
    const noOp = unclear('op', 'must be subscribe, unsubscribe or auth');
    expect([read({ op: 'publish', stream: 'a' }), read({ stream: 'a' })]).toEqual([noOp, noOp]);
  });

  it('a message with an unknown field is malformed, and the error shows at most 256 characters of the name', () => {
    expect(read({ op: 'subscribe', stream: 'a', since: 1 })).toEqual(unclear('since', 'is not a known field'));
    expect(read({ ['x'.repeat(1_000)]: 1 })).toEqual(unclear('x'.repeat(256), 'is not a known field'));
  });

  it.each(['', '{', '[]', '7', 'null', '"auth"'])('a message is malformed if it consists of the text %j', (text) =>
    expect(readFrame(text)).toEqual(unclear('', 'must be a JSON object')),
  );

  it.each([Buffer.from('{}'), undefined])('a message is malformed if it is not text, such as %j', (received) =>
    expect(readFrame(received)).toEqual(unclear('', 'must be a text message')),
  );
});
