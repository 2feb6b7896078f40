/** Ends the set-up with a message for a person, without a stack trace. */
export class SetUpError extends Error {}
