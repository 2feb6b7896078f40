import { describe, expect, it } from '@jest/globals';
import { computeWeight, type Frame } from './frame.js';
import { Ring, RingBudget } from './ring.js';

const frame = (revision: number, data = '{}'): Frame => ({ revision, event: 'log', data, isFinal: false });
const WEIGHT = computeWeight(frame(1));

function ringOf(count: number, { start = 0, budget = new RingBudget(1e9), data = '{}' } = {}) {
  const ring = new Ring(start, budget);
  for (let n = 1; n <= count; n++) ring.push(frame(start + n, data));
  return ring;
}
const revisions = (frames: readonly Frame[]) => frames.map(({ revision }) => revision);

describe('A ring, which keeps a stream’s newest frames in memory', () => {
  it('the head of a ring is the revision of its last frame, or the start of the ring while it is empty', () => {
    expect([ringOf(0, { start: 7 }).head, ringOf(3, { start: 7 }).head]).toEqual([7, 10]);
  });

  it('returns the frames after any revision that it covers', () => {
    const ring = ringOf(3, { start: 7 });
    expect([6, 7, 10].map((after) => ring.covers(after))).toEqual([false, true, true]);
    expect([7, 8, 10].map((after) => revisions(ring.after(after, 1e9)))).toEqual([[8, 9, 10], [9, 10], []]);
  });

  it('returns about as many characters as requested, but always at least one frame', () => {
    const ring = ringOf(5);
    expect(revisions(ring.after(1, WEIGHT * 2))).toEqual([2, 3]);
    expect(revisions(ring.after(1, WEIGHT * 2 + 1))).toEqual([2, 3, 4]);
    expect(revisions(ring.after(1, 1))).toEqual([2]);
  });

  it('keeps at most 1,024 frames, and then drops the oldest', () => {
    const ring = ringOf(1_030);
    expect([ring.covers(5), ring.covers(6)]).toEqual([false, true]);
    expect(revisions(ring.after(6, 1))).toEqual([7]);
    expect(ring.head).toBe(1_030);
  });

  it('keeps at most 1,048,576 characters, but always the newest frame, however large it is', () => {
    const ring = ringOf(3, { data: 'x'.repeat(512 * 1024) });
    expect([ring.covers(1), ring.covers(2)]).toEqual([false, true]);
    ring.push(frame(4, 'x'.repeat(2 * 1024 * 1024)));
    expect(revisions(ring.after(3, 1e9))).toEqual([4]);
    expect(ring.covers(2)).toBe(false);
  });

  it('keeps fewer frames if all rings of the process together exceed their memory budget', () => {
    const budget = new RingBudget(4 * WEIGHT);
    const other = ringOf(3, { budget });
    const ring = ringOf(3, { budget });
    expect([ring.covers(1), ring.covers(2)]).toEqual([false, true]);
    expect(other.covers(0)).toBe(true);
    expect(budget.held).toBe(4 * WEIGHT);
  });

  it('releases its share of the memory budget when it is emptied', () => {
    const budget = new RingBudget(1e9);
    const ring = ringOf(3, { budget });
    expect(budget.held).toBe(3 * WEIGHT);
    ring.empty();
    expect([budget.held, ring.head, ring.covers(2)]).toEqual([0, 3, false]);
  });

  describe('A ring whose revisions have gaps', () => {
    const hidden = (revision: number): Frame => ({ revision, event: null, data: '', isFinal: false });
    function gappy(...given: readonly Frame[]) {
      const ring = new Ring(10, new RingBudget(1e9));
      for (const each of given) ring.push(each);
      return ring;
    }

    it('returns the frames after any revision, including one between two frames', () => {
      const ring = gappy(frame(12), frame(20), frame(21), frame(400));
      expect([10, 11, 12, 19, 20, 21, 399, 400].map((after) => revisions(ring.after(after, 1e9)))).toEqual([
        [12, 20, 21, 400],
        [12, 20, 21, 400],
        [20, 21, 400],
        [20, 21, 400],
        [21, 400],
        [400],
        [400],
        [],
      ]);
      expect([ring.head, ring.covers(9), ring.covers(10)]).toEqual([400, false, true]);
    });

    it('counts shown frames, including those that were dropped', () => {
      const ring = new Ring(0, new RingBudget(2.5 * WEIGHT));
      for (const each of [frame(2), hidden(3), frame(5), frame(9)]) ring.push(each);
      expect([ring.start, ring.shownUpTo(ring.start), ring.shownUpTo(9)]).toEqual([3, 1, 3]);
    });

    it('finds where the newest shown frames begin', () => {
      const ring = gappy(frame(12), hidden(15), frame(20), hidden(30));
      expect([1, 2, 3].map((count) => ring.beforeNewest(count))).toEqual([12, 10, 10]);
      expect(gappy().beforeNewest(1)).toBe(10);
    });
  });
});
