/**
 * A handler that ignores a fault and whose name states the reason: `client.end().catch(alreadyGone)`. It returns
 * undefined. All other faults are handled, thrown, or reported by a `BackgroundTask`.
 */
type IgnoredFault = (fault: unknown) => undefined;

/** A wait was ended early by its own signal, which the waiting code checks next. */
export const waitEnded: IgnoredFault = () => undefined;

/** The resource to be closed or cancelled is already closed, or closes by itself. */
export const alreadyGone: IgnoredFault = () => undefined;

/**
 * A rollback or the removal of a temporary table failed. This only happens if the connection is lost, and that has the
 * same effect.
 */
export const endedWithConnection: IgnoredFault = () => undefined;

/**
 * The fault is handled elsewhere, by code that awaits the same promise or listens for errors. This handler only
 * prevents an unhandled rejection.
 */
export const heardElsewhere: IgnoredFault = () => undefined;

/** The leftovers are unused. The next cleanup or the next change of the same kind removes them. */
export const leftToCleaning: IgnoredFault = () => undefined;

/**
 * The lease could not be ended or renewed. It expires, and the next process that acquires it finds out what was done.
 */
export const leftToLease: IgnoredFault = () => undefined;

/** An optimization is not available, so the caller does without it. */
export const ignoreFault: IgnoredFault = () => undefined;
