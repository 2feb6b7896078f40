/** Ends the set-up with a message, without a stack trace. */
export class SetUpError extends Error {}

/** Ends the set-up after a signal. The next set-up repeats the interrupted step. */
export class InterruptedError extends Error {
  constructor(signal) {
    super(`${signal}: stopped before the set-up was complete. The next start continues.`);
  }
}
