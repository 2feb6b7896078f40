/**
 * Why a fault may be ignored, by name: `client.end().catch(alreadyGone)`. Each handler does nothing and answers
 * undefined. A fault with none of these reasons is answered, thrown, or reported by a `BackgroundTask`.
 */
type IgnoredFault = (fault: unknown) => undefined;

/** A wait was ended early by its own signal: the code that waited looks at the signal next. */
export const waitEnded: IgnoredFault = () => undefined;

/** What was to be closed or cancelled is closed already, or closes by itself. */
export const alreadyGone: IgnoredFault = () => undefined;

/** A rollback, or the end of a temporary table: it fails only when the connection is lost, and both end with that. */
export const endedWithConnection: IgnoredFault = () => undefined;

/** Another place hears of it: it awaits the same promise, or listens for errors. Here it only must not count as unhandled. */
export const heardElsewhere: IgnoredFault = () => undefined;

/** What stays behind is used by nothing, and goes with the next cleaning or change of its kind. */
export const leftToCleaning: IgnoredFault = () => undefined;

/** The lease could not be ended or renewed: it runs out, and the process that takes it next finds out what was done. */
export const leftToLease: IgnoredFault = () => undefined;

/** A shortcut that this machine or this moment does not offer: the caller takes the longer way. */
export const doneWithout: IgnoredFault = () => undefined;
