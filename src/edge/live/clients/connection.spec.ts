import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { Connection } from './connection.js';

/** Returns a connection whose client buffers 4 bytes, and reads only when `drained` is called. */
function connected() {
  const written: string[] = [];
  const taking: (() => void)[] = [];
  const socket = new Writable({
    highWaterMark: 4,
    write(bytes, _, done) {
      written.push(String(bytes));
      taking.push(done);
    },
  });
  const slow = new Set<Connection>();
  const calls: string[] = [];
  const connection = new Connection({
    socket,
    slow,
    onDrain: () => calls.push('drain'),
    onClose: () => calls.push('close'),
  });
  const drained = async () => {
    while (taking.length > 0) taking.shift()?.();
    await new Promise(setImmediate);
  };
  return { socket, slow, calls, connection, written, drained };
}

describe('A live connection', () => {
  it('a connection is ready until its socket buffer is full, and again once the client has read everything', async () => {
    const { connection, slow, calls, drained } = connected();
    connection.write(Buffer.from('abc'));
    expect([connection.isReady, slow.size]).toEqual([true, 0]);
    connection.write(Buffer.from('def'));
    expect([connection.isReady, [...slow], calls]).toEqual([false, [connection], []]);
    await drained();
    await drained();
    expect([connection.isReady, slow.size, connection.fullSince, calls]).toEqual([true, 0, null, ['drain']]);
  });

  it('a connection remembers when its socket buffer first became full, even if more is written', async () => {
    const { connection } = connected();
    const before = performance.now();
    connection.write(Buffer.from('abcdef'));
    const since = connection.fullSince;
    expect(since).toBeGreaterThanOrEqual(before);
    await new Promise((resolve) => setTimeout(resolve, 5));
    connection.write(Buffer.from('abcdef'));
    expect(connection.fullSince).toBe(since);
  });

  it('an empty write does not mark a connection as full', () => {
    const { connection, written } = connected();
    connection.write(Buffer.alloc(0));
    expect([connection.isReady, written]).toEqual([true, []]);
  });

  it('a connection that ends is reported once, is no longer ready, and is removed from the slow connections', async () => {
    const { connection, slow, calls } = connected();
    connection.write(Buffer.from('abcdef'));
    connection.cut();
    await new Promise(setImmediate);
    expect([connection.isReady, slow.size, calls]).toEqual([false, 0, ['close']]);
  });

  it('a connection that has released its socket writes nothing to it and reports none of its events', async () => {
    const { connection, socket, slow, calls, written, drained } = connected();
    connection.write(Buffer.from('abcdef'));
    connection.release();
    expect([connection.isReady, slow.size]).toEqual([false, 0]);
    connection.write(Buffer.from('more'));
    await drained();
    expect(socket.destroyed).toBe(false);
    socket.destroy();
    await new Promise(setImmediate);
    expect([written, calls]).toEqual([['abcdef'], []]);
  });
});
