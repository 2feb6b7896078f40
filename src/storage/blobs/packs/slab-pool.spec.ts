import { expect, it } from '@jest/globals';
import { headerBytes } from './pack.format.js';
import { type PendingRecord, RecordSlabs } from './record-slabs.js';
import { SlabPool, slabBytes } from './slab-pool.js';

/** Creates records of 100 KB. Every byte of record n is n. */
const fill = (slabs: RecordSlabs, count: number) =>
  Array.from({ length: count }, (_, n) => slabs.record([Buffer.alloc(100_000, n)], 100_000));

const memoryOf = (records: readonly PendingRecord[]) => new Set(records.map(({ bytes }) => bytes.buffer));
const isItself = ({ bytes }: PendingRecord, n: number) => bytes.subarray(headerBytes).every((byte) => byte === n);

it('memory is reused only after everything that uses it has released it', () => {
  const pool = new SlabPool(8);
  const first = new RecordSlabs(pool);
  const records = fill(first, 40);
  const [held, ...others] = records;
  for (const { slab } of others) slab.release();
  first.end();

  const again = fill(new RecordSlabs(pool), 40);
  expect(memoryOf(again).has(held?.bytes.buffer as ArrayBuffer)).toBe(false);
  expect([...memoryOf(again)].filter((memory) => memoryOf(others).has(memory)).length).toBeGreaterThan(0);
  expect(held && isItself(held, 0)).toBe(true);
  expect(again.every(isItself)).toBe(true);
});

it('the space of a discarded record is used for the next record', () => {
  const slabs = new RecordSlabs(new SlabPool(8));
  const [first] = fill(slabs, 1);
  const unneeded = slabs.record([Buffer.alloc(10_000, 7)], 10_000);
  slabs.undo(unneeded);
  const next = slabs.record([Buffer.alloc(10_000, 8)], 10_000);
  expect(next.bytes.byteOffset).toBe(unneeded.bytes.byteOffset);
  expect(isItself(next, 8) && first && isItself(first, 0)).toBe(true);
});

it('the pool keeps at most the given number of unused slabs', () => {
  const pool = new SlabPool(2);
  const taken = Array.from({ length: 5 }, () => pool.acquire(slabBytes));
  for (const slab of taken) slab.release();
  const next = Array.from({ length: 5 }, () => pool.acquire(slabBytes).bytes);
  expect(next.filter((bytes) => taken.some((slab) => slab.bytes === bytes)).length).toBe(2);
});
