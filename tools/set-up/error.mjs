/** Ends the set-up with a message, without a stack trace. */
export class SetUpError extends Error {}
