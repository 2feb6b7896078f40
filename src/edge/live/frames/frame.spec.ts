import { describe, expect, it } from '@jest/globals';
import { deployed } from '../../../../test/support/events/site-examples.js';
import { MemoryStore } from '../../../../test/support/eventstore/memory-store.js';
import type { LiveStream } from '../live-stream.js';
import { buildFrames, computeWeight } from './frame.js';

async function recorded() {
  const store = new MemoryStore();
  await store.write('site-a', deployed(1));
  const [event] = (await store.read('site-a')).events;
  if (!event) throw new Error('It was not written.');
  return event;
}

const stream = (shown: Partial<LiveStream>): LiveStream => ({
  stream: 'site-a',
  finalTypes: new Set(),
  frameOf: () => null,
  assertCanWatch: async () => undefined,
  session: null,
  ...shown,
});

describe('A frame, which is one event as sent to clients', () => {
  it('a frame contains its event’s revision and visible data on one line', async () => {
    const frameOf = () => ({ event: 'deployed', data: { text: 'a\nb' } });
    expect(await buildFrames(stream({ frameOf }), [await recorded()])).toEqual([
      { revision: 1, event: 'deployed', data: '{"text":"a\\nb"}', isFinal: false },
    ]);
  });

  it('a frame contains the revision of its event even if the event is hidden', async () => {
    const hidden = { revision: 1, event: null, data: '', isFinal: false };
    expect(await buildFrames(stream({}), [await recorded()])).toEqual([hidden]);
  });

  it('a frame is final if the event’s type ends the stream, even if the event is hidden', async () => {
    const event = await recorded();
    expect(await buildFrames(stream({ finalTypes: new Set([event.type]) }), [event])).toMatchObject([
      { isFinal: true },
    ]);
  });

  it('a frame can contain data that was prepared for several events together', async () => {
    const prepare = async (events: readonly { readonly id: string }[]) => {
      const found = `${events.length} together`;
      return () => ({ event: 'deployed', data: { found } });
    };
    const event = await recorded();
    const frames = await buildFrames(stream({ prepare }), [event, event]);
    expect(frames.map(({ data }) => data)).toEqual(['{"found":"2 together"}', '{"found":"2 together"}']);
  });

  it('a frame without data still counts towards memory limits', () => {
    const weight = (data: string) => computeWeight({ revision: 1, event: 'log', data, isFinal: false });
    expect(weight('x'.repeat(1_000)) - weight('')).toBe(1_000);
    expect(weight('')).toBeGreaterThan(100);
  });
});
