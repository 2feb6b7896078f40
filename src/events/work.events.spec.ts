import { describe, expect, it } from '@jest/globals';
import { storedEventContract } from '../../test/support/events/stored-event.contract.js';
import { catalogue, isChained } from './catalogue.js';
import { workEvents, workStream } from './work.events.js';

const workId = 'wrk_01jd4v8k3mqg5t2x9w7z6y4r1p';
const tokenId = 'ctk_01jd4v7h2kpf4s1w8v6y5x3q0n';
const payload = { digest: '5'.repeat(64), size: 31 };

describe('Connector work events', () => {
  storedEventContract(workEvents, {
    WorkQueued: [{ siteId: 'site_01jd4v7h2kpf4s1w8v6y5x3q0n', input: payload, priority: -3 }],
    WorkLeased: [{ attempt: 1, tokenId, agent: 'my machine', until: '2026-11-24T12:01:00.000Z' }],
    WorkReturned: [{ attempt: 1 }],
    WorkSucceeded: [{ attempt: 2, tokenId, output: payload }],
    WorkFailed: [{ attempt: 3, tokenId, reason: 'attempts', error: payload }],
    WorkExpired: [{ reason: 'site_gone' }],
    WorkForgotten: [{}],
  });

  it('do not contain input or output', () => {
    const queued = { siteId: 'site_1', input: { ...payload, text: '"swordfish"' }, priority: 0 };
    expect(() => catalogue.write('WorkQueued', queued)).toThrow(/text/);
    const succeeded = { attempt: 1, tokenId, output: { ...payload, text: '"swordfish"' } };
    expect(() => catalogue.write('WorkSucceeded', succeeded)).toThrow(/text/);
  });

  it('are stored under the work’s ID, without a hash chain', () => {
    expect(workStream(workId)).toBe(`work-${workId}`);
    expect(isChained(workStream(workId))).toBe(false);
  });
});
