import { describe, expect, it } from '@jest/globals';
import { Semaphore } from './semaphore.js';

describe('A semaphore', () => {
  const held = () => Promise.withResolvers<string>();

  it('runs and queues tasks up to its limits, and immediately refuses more', async () => {
    const semaphore = new Semaphore(1, 1);
    const [first, second] = [held(), held()];
    const began: string[] = [];
    const work = (name: string, { promise }: { promise: Promise<string> }) =>
      semaphore.run(() => {
        began.push(name);
        return promise;
      });
    const [one, two] = [work('one', first), work('two', second)];
    expect(work('three', held())).toBeNull();
    expect(began).toEqual(['one']);
    first.resolve('1');
    expect(await one).toBe('1');
    second.resolve('2');
    expect(await two).toBe('2');
    expect(began).toEqual(['one', 'two']);
  });

  it('runs the next queued task after a failure', async () => {
    const semaphore = new Semaphore(1, 1);
    const failing = semaphore.run(() => Promise.reject(new Error('no')));
    const next = semaphore.run(async () => 'done');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('done');
    expect(await semaphore.run(async () => 'again')).toBe('again');
  });
});
