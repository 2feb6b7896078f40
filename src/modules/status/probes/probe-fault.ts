import { StoreUnavailable } from '../../../kernel/event-store.js';
import { codeOf } from '../../../kernel/faults/error-code.js';
import { Refusal } from '../../../kernel/refusal.js';

/** Time limit of each probe, in milliseconds. */
export const WITHIN_MS = 10_000;

/** A failed probe. The message is short and public: it contains no addresses or host names. */
export class ProbeFault extends Error {
  override readonly name = 'ProbeFault';
}

/** This process cannot reach the component, which says nothing about its state. */
export class OutOfReach extends Error {
  override readonly name = 'OutOfReach';
}

/** Returns the reason for a failed probe, in a few words that any visitor may see. */
export function reasonOf(error: unknown): string {
  if (error instanceof ProbeFault) return error.message;
  if (error instanceof StoreUnavailable) return 'the database is not responding';
  if (error instanceof Refusal) return `refused: ${error.code}`;
  const name = error instanceof Error ? error.name : '';
  if (name === 'TimeoutError' || name === 'AbortError') return `no response within ${WITHIN_MS / 1_000} s`;
  return codeOf(error) === '' ? 'an unexpected error' : `no connection (${codeOf(error).slice(0, 40)})`;
}
