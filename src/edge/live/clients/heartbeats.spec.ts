import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Heartbeats } from './heartbeats.js';

describe('Heartbeats', () => {
  let seconds = 0;
  let heartbeats: Heartbeats;
  beforeEach(() => {
    jest.useFakeTimers();
    seconds = 0;
    heartbeats = new Heartbeats(() => seconds++);
    heartbeats.start();
  });
  afterEach(() => {
    heartbeats.stop();
    jest.useRealTimers();
  });

  /** Returns a client that records the time of each heartbeat, in seconds. */
  function client() {
    const beats: number[] = [];
    const receiver = { beat: () => beats.push(seconds) };
    heartbeats.add(receiver);
    return { beats, receiver };
  }
  const pass = (count: number) => jest.advanceTimersByTime(count * 1_000);

  it('heartbeats are sent every 15 seconds, beginning 15 seconds after the client joined', () => {
    const { beats } = client();
    pass(14);
    expect(beats).toEqual([]);
    pass(31);
    expect(beats).toEqual([14, 29, 44]);
  });

  it('heartbeats are timed separately for each client, from the moment that client joined', () => {
    const one = client();
    pass(4);
    const two = client();
    pass(15);
    expect([one.beats, two.beats]).toEqual([[14], [18]]);
  });

  it('heartbeats are not sent to a client that was removed', () => {
    const [one, two] = [client(), client()];
    pass(4);
    const later = client();
    heartbeats.remove(one.receiver);
    heartbeats.remove(later.receiver);
    pass(15);
    expect([one, two, later].map(({ beats }) => beats.length)).toEqual([0, 1, 0]);
  });

  it('heartbeats, and the callback that runs every second, end when they are stopped', () => {
    const { beats } = client();
    pass(3);
    heartbeats.stop();
    pass(30);
    expect([seconds, beats]).toEqual([3, []]);
  });
});
