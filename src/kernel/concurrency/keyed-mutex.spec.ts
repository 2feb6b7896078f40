import { describe, expect, it } from '@jest/globals';
import { KeyedMutex } from './keyed-mutex.js';

function controlled(log: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const work = async () => {
    log.push(`${name} began`);
    begun.resolve();
    return promise.finally(() => log.push(`${name} ended`));
  };
  return { work, begun: begun.promise, end: () => resolve(name), fail: (error: Error) => reject(error) };
}

describe('A keyed mutex', () => {
  it('runs tasks with the same key in order, one at a time', async () => {
    const mutex = new KeyedMutex();
    const log: string[] = [];
    const [a, b, c] = [controlled(log, 'a'), controlled(log, 'b'), controlled(log, 'c')];
    const all = [a, b, c].map(({ work }) => mutex.run('key', work));
    for (const each of [a, b, c]) {
      await each.begun;
      each.end();
    }
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
    expect(log).toEqual(['a began', 'a ended', 'b began', 'b ended', 'c began', 'c ended']);
  });

  it('runs tasks with different keys concurrently', async () => {
    const mutex = new KeyedMutex();
    const log: string[] = [];
    const [a, b] = [controlled(log, 'a'), controlled(log, 'b')];
    const all = [mutex.run('one', a.work), mutex.run('two', b.work)];
    await Promise.all([a.begun, b.begun]);
    b.end();
    a.end();
    expect(await Promise.all(all)).toEqual(['a', 'b']);
  });

  it('runs the next task after a failure, and reports the error only to the caller whose task failed', async () => {
    const mutex = new KeyedMutex();
    const log: string[] = [];
    const [a, b] = [controlled(log, 'a'), controlled(log, 'b')];
    const first = mutex.run('key', a.work);
    const second = mutex.run('key', b.work);
    await a.begun;
    a.fail(new Error('a failed'));
    await expect(first).rejects.toThrow('a failed');
    await b.begun;
    b.end();
    expect(await second).toBe('b');
  });

  it('runs a task immediately if no other task with its key is waiting', async () => {
    const mutex = new KeyedMutex();
    await mutex.run('key', async () => 'before');
    expect(await mutex.run('key', async () => 'after')).toBe('after');
  });
});
