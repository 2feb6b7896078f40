import { readErrorCode } from './error-code.js';

const EXPLANATIONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'it does not exist'],
  ['EACCES', 'permission denied'],
  ['ENOTDIR', 'it is not a folder'],
  ['EISDIR', 'it is a folder'],
  ['ECONNREFUSED', 'nothing accepts connections there'],
  ['ENOTFOUND', 'the host name could not be resolved'],
  ['EAI_AGAIN', 'the host name could not be resolved'],
  ['ETIMEDOUT', 'the connection timed out'],
]);

/** Explains a common system error to the operator. Returns the message of any other error. */
export function explainSystemError(error: unknown): string {
  const code = readErrorCode(error);
  return EXPLANATIONS.get(code) ?? (error instanceof Error ? error.message || code : String(error));
}
