import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../../../kernel/refusal.js';
import { pageSize, resumePoint } from './resume-point.js';

/** Returns the code and detail of a refusal, or the value that was read. */
function outcome(read: () => number) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) return `${error.code} ${error.detail}`;
    throw error;
  }
}

const from = (last: string | undefined, query?: unknown) =>
  outcome(() => resumePoint(last === undefined ? {} : { 'last-event-id': last }, query));
const size = (limit?: unknown) => outcome(() => pageSize({ limit }));

describe("A client's resume point", () => {
  it('the resume point is the beginning of the stream by default', () => {
    expect([from(undefined), from(undefined, {}), from(undefined, null), from('', { after: '' })]).toEqual([
      0, 0, 0, 0,
    ]);
  });

  it('the resume point is the revision of the client’s last event, or the revision in the URL', () => {
    expect([from('7'), from(undefined, { after: '9' })]).toEqual([7, 9]);
  });

  it('the client’s last event takes precedence over the revision in the URL, because browsers keep the URL', () => {
    expect([from('9', { after: '7' }), from('7', { after: 'x' })]).toEqual([9, 7]);
  });

  it('the resume point is the revision in the URL if the last event ID is empty, as after a reset', () => {
    expect(from('', { after: '7' })).toBe(7);
  });

  it.each(['x', '-1', '1.5', '1e3', ' 7', '1234567890123456'])('the resume point %j is refused', (text) => {
    expect(from(text)).toBe('invalid_request `last-event-id` must be the ID of an event of this stream.');
    expect(from(undefined, { after: text })).toBe('invalid_request `after` must be a revision (digits only).');
  });

  it.each([[['1', '2']], [['1']], [1]])('the resume point %j, which is not a string, is refused', (after) => {
    expect(from(undefined, { after })).toMatch(/^invalid_request/);
  });
});

describe('The page size of a stream', () => {
  it('the page size is 100 events by default, and can be set from 1 to 500', () => {
    expect([outcome(() => pageSize(undefined)), size(), size('1'), size('500')]).toEqual([100, 100, 1, 500]);
  });

  it.each(['0', '501', '-1', 'x', '', ['1', '2'], 7])('the page size %j is refused', (limit) =>
    expect(size(limit)).toBe('invalid_request `limit` must be a number from 1 to 500.'),
  );
});
