import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Exceeded } from '../../kernel/ports/outside/builder.js';
import { withinLimits } from './within-limits.js';

const full: Exceeded = { what: 'disk', limit: '64 MiB' };
const never = new AbortController().signal;
const ended = { exitCode: 1, exceeded: null };

describe('What is done within limits', () => {
  it('is told of one that was met, though it is not any more', async () => {
    let isFull = true;
    const disk = { isHeld: true, exceeded: async () => (isFull ? full : null) };
    const work = async () => {
      await delay(20);
      isFull = false;
      return ended;
    };
    expect(await withinLimits([disk], never, work)).toEqual({ exitCode: 1, exceeded: full });
  });

  it('is told of one that is met at its very end', async () => {
    let isFull = false;
    const disk = { isHeld: true, exceeded: async () => (isFull ? full : null) };
    const work = async () => {
      await delay(20);
      isFull = true;
      return ended;
    };
    expect(await withinLimits([disk], never, work)).toEqual({ exitCode: 1, exceeded: full });
  });

  it('is ended where nothing else holds the limit', async () => {
    const disk = { isHeld: false, exceeded: async () => full };
    const work = (signal: AbortSignal) => delay(60_000, ended, { signal });
    expect(await withinLimits([disk], never, work)).toEqual({ exitCode: 137, exceeded: full });
  });

  it('has not ended well where it passed a limit that nothing holds, before anybody looked', async () => {
    let isFull = false;
    const disk = { isHeld: false, exceeded: async () => (isFull ? full : null) };
    const work = async () => {
      isFull = true;
      return { exitCode: 0, exceeded: null };
    };
    expect(await withinLimits([disk], never, work)).toEqual({ exitCode: 137, exceeded: full });
  });

  it('fails as it does by itself', async () => {
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
