import type { WorkEvent } from '../../events/work.events.js';
import type { Fold } from '../../kernel/decider.js';

export type KnownResult = { readonly attempt: number; readonly digest: string };

export type Work =
  | { readonly status: 'unknown' }
  /** `attempt` is the number of the last attempt, or 0 if there was none. */
  | { readonly status: 'queued'; readonly attempt: number }
  | { readonly status: 'leased'; readonly attempt: number; readonly tokenId: string }
  | { readonly status: 'succeeded' | 'failed'; readonly result: KnownResult }
  | { readonly status: 'expired' };

export const work: Fold<Work, WorkEvent> = {
  name: 'work',
  version: 1,
  initial: { status: 'unknown' },

  evolve(state, event) {
    switch (event.type) {
      case 'WorkQueued':
        return { status: 'queued', attempt: 0 };
      case 'WorkLeased':
        return { status: 'leased', attempt: event.data.attempt, tokenId: event.data.tokenId };
      case 'WorkReturned':
        return { status: 'queued', attempt: event.data.attempt };
      case 'WorkSucceeded':
        return { status: 'succeeded', result: { attempt: event.data.attempt, digest: event.data.output.digest } };
      case 'WorkFailed':
        return { status: 'failed', result: { attempt: event.data.attempt, digest: event.data.error.digest } };
      case 'WorkExpired':
      case 'WorkForgotten':
        return { status: 'expired' };
      default:
        return state;
    }
  },
};
