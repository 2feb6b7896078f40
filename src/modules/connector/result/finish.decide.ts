import { type WorkEvent, WorkExpired, WorkFailed, WorkSucceeded } from '../../../events/work.events.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Work } from '../work.state.js';

export type Finish = {
  readonly attempt: number;
  readonly tokenId: string;
  readonly outcome: 'succeeded' | 'failed' | 'gave_up';
  readonly result: { readonly digest: string; readonly size: number };
};

/**
 * Ends an invocation with the agent's result. Changes nothing if the same result was already recorded. Refuses a
 * different result, and a result of an attempt that another has replaced, with `lease_lost`.
 */
export function decideFinish(work: Work, { attempt, tokenId, outcome, result }: Finish): WorkEvent[] {
  if (work.status === 'leased' && work.attempt === attempt) {
    if (outcome === 'succeeded') return [WorkSucceeded({ attempt, tokenId, output: result })];
    return [WorkFailed({ attempt, tokenId, reason: outcome === 'failed' ? 'agent' : 'attempts', error: result })];
  }
  const status = outcome === 'succeeded' ? 'succeeded' : 'failed';
  const isKnown = 'result' in work && work.result.attempt === attempt && work.result.digest === result.digest;
  return isKnown && work.status === status
    ? []
    : refuse('lease_lost', 'This work item is already finished, or another attempt has taken it over.');
}

export type WorkExpiry = { readonly reason: 'time' | 'site_gone' };

/** Ends an invocation without a result. Records nothing if it has already ended. */
export function decideExpire(work: Work, { reason }: WorkExpiry): WorkEvent[] {
  return work.status === 'queued' || work.status === 'leased' ? [WorkExpired({ reason })] : [];
}
