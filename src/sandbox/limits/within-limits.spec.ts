import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Exceeded } from '../../kernel/ports/outside/builder.js';
import { withinLimits } from './within-limits.js';

const full: Exceeded = { what: 'disk', limit: '64 MiB' };
const never = new AbortController().signal;
const ended = { exitCode: 1, exceeded: null };

describe('withinLimits', () => {
  it('a limit is reported even if usage has fallen below it again', async () => {
    let isFull = true;
    const disk = { isHeld: true, exceeded: async () => (isFull ? full : null) };
    const work = async () => {
      await delay(20);
      isFull = false;
      return ended;
    };
    expect(await withinLimits([disk], never, work)).toEqual({ exitCode: 1, exceeded: full });
  });

  it('a limit that is reached just as the work ends is reported', async () => {
    let isFull = false;
    const disk = { isHeld: true, exceeded: async () => (isFull ? full : null) };
    const work = async () => {
      await delay(20);
      isFull = true;
      return ended;
    };
    expect(await withinLimits([disk], never, work)).toEqual({ exitCode: 1, exceeded: full });
  });

  it('work is stopped when it exceeds a limit that the kernel does not enforce', async () => {
    const disk = { isHeld: false, exceeded: async () => full };
    const work = (signal: AbortSignal) => delay(60_000, ended, { signal });
    expect(await withinLimits([disk], never, work)).toEqual({ exitCode: 137, exceeded: full });
  });

  it('work fails if it exceeded a limit that the kernel does not enforce, even between two checks', async () => {
    let isFull = false;
    const disk = { isHeld: false, exceeded: async () => (isFull ? full : null) };
    const work = async () => {
      isFull = true;
      return { exitCode: 0, exceeded: null };
    };
    expect(await withinLimits([disk], never, work)).toEqual({ exitCode: 137, exceeded: full });
  });

  it('errors of the work, and the abort reason of the signal, are rethrown', async () => {
    const disk = { isHeld: true, exceeded: async () => null };
    await expect(withinLimits([disk], never, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const stopped = AbortSignal.abort(new Error('stopped'));
    const work = async (signal: AbortSignal) => {
      signal.throwIfAborted();
      return ended;
    };
    await expect(withinLimits([disk], stopped, work)).rejects.toThrow('stopped');
  });
});
