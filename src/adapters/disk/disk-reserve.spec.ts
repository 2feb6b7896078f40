import { describe, expect, it } from '@jest/globals';
import { StorageFullError } from '../../kernel/faults/storage-full.js';
import { DiskReserve } from './disk-reserve.engine.js';

const GIBIBYTE = 2 ** 30;

const reserveOf = (reserve: number | null, free: number, size: number, warnings: string[] = []) =>
  new DiskReserve(
    '/data',
    reserve,
    (line) => warnings.push(line),
    async () => ({ free, size }),
  );

describe('The disk reserve', () => {
  it.each([
    ['1 GiB on a small disk', null, GIBIBYTE, 10 * GIBIBYTE],
    ['5 % of a large disk', null, 5 * GIBIBYTE, 100 * GIBIBYTE],
    ['the size that the operator sets', 1_000, 1_000, 100 * GIBIBYTE],
  ])('the reserve is %s', async (_, reserve, least, size) => {
    await expect(reserveOf(reserve, least, size).assertRoom()).resolves.toBeUndefined();
    await expect(reserveOf(reserve, least - 1, size).assertRoom()).rejects.toThrow(StorageFullError);
  });

  it('no reserve is kept if it is turned off', async () => {
    await expect(reserveOf(0, 0, GIBIBYTE).assertRoom()).resolves.toBeUndefined();
  });

  it('the reserve is not enforced if the free disk space cannot be measured', async () => {
    const failing = new DiskReserve(
      '/data',
      null,
      () => undefined,
      async () => Promise.reject(new Error('no such file system')),
    );
    await expect(failing.assertRoom()).resolves.toBeUndefined();
  });

  it('concurrent callers share one measurement and one warning', async () => {
    let measured = 0;
    const warnings: string[] = [];
    const reserve = new DiskReserve(
      '/data',
      GIBIBYTE,
      (line) => warnings.push(line),
      async () => ({ free: ++measured, size: GIBIBYTE }),
    );
    const refused = await Promise.allSettled(Array.from({ length: 5 }, () => reserve.assertRoom()));
    await expect(reserve.assertRoom()).rejects.toThrow(StorageFullError);
    expect(refused.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    expect(measured).toBe(1);
    expect(warnings).toEqual([
      'Deploys, uploads and builds are refused: /data has 1 byte of free space, and STELE_DISK_RESERVE is 1 GiB.',
    ]);
  });
});
