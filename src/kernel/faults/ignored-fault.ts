/**
 * Handlers that ignore a fault and name the reason: `client.end().catch(alreadyGone)`. They return undefined. Any other
 * fault is handled, thrown, or reported by a `BackgroundTask`.
 */
type IgnoredFault = (fault: unknown) => undefined;

/** A wait was ended early by its own signal, which the waiting code checks next. */
export const waitEnded: IgnoredFault = () => undefined;

/** The resource to be closed or cancelled is already closed, or closes by itself. */
export const alreadyGone: IgnoredFault = () => undefined;

/**
 * A rollback or the removal of a temporary table failed. This only happens if the connection is lost, which does both.
 */
export const endedWithConnection: IgnoredFault = () => undefined;

/**
 * The fault is handled elsewhere, by code that awaits the same promise or listens for errors. This handler only
 * prevents
 * an unhandled rejection.
 */
export const heardElsewhere: IgnoredFault = () => undefined;

/** The leftovers are unused, and the next cleanup or change of the same kind removes them. */
export const leftToCleaning: IgnoredFault = () => undefined;

/** The lease could not be ended or renewed. It expires, and the process that takes it next finds out what was done. */
export const leftToLease: IgnoredFault = () => undefined;

/** An optimization is not available here or now: the caller does without it. */
export const ignoreFault: IgnoredFault = () => undefined;
