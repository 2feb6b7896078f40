import { describe, expect, it } from '@jest/globals';
import type { RawEvent } from '../../../kernel/event-store.js';
import { AppendCache } from './recent-appends.js';

const fresh = (position: bigint, data = '{}') => ({
  position,
  event: {
    id: `evt_${position}`,
    stream: 'site-1',
    revision: Number(position),
    type: 'Noted',
    schema: 1,
    at: '2026-11-20T12:00:00.000Z',
    actor: '{"kind":"system"}',
    data,
    hash: null,
    previousHash: null,
  } satisfies RawEvent,
});

describe('The cache of recently appended events', () => {
  const positions = (events: AppendCache, after: bigint, most = 100) =>
    events.after(after, most).map(({ position }) => position);

  it('a reader that has caught up gets recent events in order, up to the first gap', () => {
    const events = new AppendCache();
    events.add([fresh(7n), fresh(5n)]);
    events.add([fresh(6n), fresh(9n)]);
    expect(positions(events, 4n)).toEqual([5n, 6n, 7n]);
    expect(positions(events, 4n, 2)).toEqual([5n, 6n]);
    expect(positions(events, 5n)).toEqual([6n, 7n]);
    expect(positions(events, 8n)).toEqual([9n]);
    expect(positions(events, 3n)).toEqual([]);
    expect(positions(events, 9n)).toEqual([]);
  });

  it('cached events are dropped after they were read', () => {
    const events = new AppendCache();
    events.add([fresh(1n), fresh(2n), fresh(3n)]);
    events.forgetUpTo(2n);
    expect(positions(events, 0n)).toEqual([]);
    expect(positions(events, 2n)).toEqual([3n]);
  });

  it('cached events that nobody reads are dropped when a limit is exceeded', () => {
    const many = new AppendCache();
    for (let position = 1n; position <= 2_001n; position++) many.add([fresh(position)]);
    expect(positions(many, 2_000n)).toEqual([]);
    const large = new AppendCache();
    for (let position = 1n; position <= 5n; position++) large.add([fresh(position, 'x'.repeat(1024 * 1024))]);
    expect(positions(large, 4n)).toEqual([]);
  });
});
