import { StoreUnavailable } from '../../../kernel/event-store.js';
import { codeOf } from '../../../kernel/faults/error-code.js';
import { Refusal } from '../../../kernel/refusal.js';

/** How long each try may take, in milliseconds. */
export const WITHIN_MS = 10_000;

/** What was wrong, in a few words for any visitor: no address, no name of a host. */
export class ProbeFault extends Error {
  override readonly name = 'ProbeFault';
}

/** From inside this process there is no way to the part: that says nothing of it. */
export class OutOfReach extends Error {
  override readonly name = 'OutOfReach';
}

/** Why a try failed, in a few words for any visitor. */
export function reasonOf(error: unknown): string {
  if (error instanceof ProbeFault) return error.message;
  if (error instanceof StoreUnavailable) return 'the database does not answer';
  if (error instanceof Refusal) return `refused: ${error.code}`;
  const name = error instanceof Error ? error.name : '';
  if (name === 'TimeoutError' || name === 'AbortError') return `no answer within ${WITHIN_MS / 1_000} s`;
  return codeOf(error) === '' ? 'an unexpected fault' : `no connection (${codeOf(error).slice(0, 40)})`;
}
