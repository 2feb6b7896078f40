import { StoreUnavailableError } from '../../../kernel/event-store.js';
import { readErrorCode } from '../../../kernel/faults/error-code.js';
import { Refusal } from '../../../kernel/refusal.js';

export const WITHIN_MS = 10_000;

/** Thrown by a failed probe. The message is short and public: it contains no addresses or hostnames. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError';
}

/** Thrown if this process can't reach a component, which says nothing about the component's state. */
export class UnreachableComponentError extends Error {
  override readonly name = 'UnreachableComponentError';
}

/** Describes in a few words why a probe failed. All visitors of the status page can read this text. */
export function describeProbeError(error: unknown): string {
  if (error instanceof ProbeError) return error.message;
  if (error instanceof StoreUnavailableError) return 'the database is not responding';
  if (error instanceof Refusal) return `refused: ${error.code}`;
  const name = error instanceof Error ? error.name : '';
  if (name === 'TimeoutError' || name === 'AbortError') return `no response within ${WITHIN_MS / 1_000} s`;
  return readErrorCode(error) === '' ? 'an unexpected error' : `no connection (${readErrorCode(error).slice(0, 40)})`;
}
