import { WorkFailed, WorkLeased, WorkQueued, WorkSucceeded } from '../../../src/events/work.events.js';

export const payload = { digest: 'a'.repeat(64), size: 12 };

export const queued = WorkQueued({ siteId: 'site_1', input: payload, priority: 0 });

export const leased = (attempt: number, tokenId = 'ctk_a') =>
  WorkLeased({ attempt, tokenId, agent: 'the first', until: '2026-11-24T12:01:00.000Z' });

export const succeeded = (attempt: number) => WorkSucceeded({ attempt, tokenId: 'ctk_a', output: payload });

export const failed = (attempt: number) => WorkFailed({ attempt, tokenId: 'ctk_a', reason: 'agent', error: payload });
