import { describe, expect, it } from '@jest/globals';
import { computeRestartDelay, crashReason } from './crash-reason.js';

describe('crashReason', () => {
  it.each([
    [{ exitCode: 1, exceeded: null }, 'The server exited with code 1.'],
    [{ exitCode: 139, exceeded: null }, 'The server was killed by signal 11.'],
    [{ exitCode: 137, exceeded: { what: 'memory', limit: '512 MiB' } }, 'The server used more than 512 MiB of memory.'],
    [{ exitCode: 1, exceeded: { what: 'processes', limit: '64' } }, 'The server started more than 64 processes.'],
  ] as const)('describes a crash in a sentence: %j', (end, reason) => expect(crashReason(end)).toBe(reason));
});

describe('computeRestartDelay', () => {
  it('the delay before a restart increases with each consecutive crash, up to a minute', () =>
    expect([1, 2, 3, 4, 8, 9, 100].map(computeRestartDelay)).toEqual([
      500, 1_000, 2_000, 4_000, 60_000, 60_000, 60_000,
    ]));
});
