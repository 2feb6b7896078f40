/** A handler that ignores a fault. Its name states the reason: `client.end().catch(alreadyGone)`. */
type IgnoredFault = (fault: unknown) => undefined;

/** A wait was ended early by its own abort signal, which the waiting code checks next. */
export const waitEnded: IgnoredFault = () => undefined;

/** The resource to close or cancel is already closed, or closes by itself. */
export const alreadyGone: IgnoredFault = () => undefined;

/** Rolling back or dropping a temporary table failed. The connection is lost, so PostgreSQL does both anyway. */
export const endedWithConnection: IgnoredFault = () => undefined;

/** Other code that awaits the same promise handles the fault. This handler only prevents an unhandled rejection. */
export const heardElsewhere: IgnoredFault = () => undefined;

/** Some files or rows were not removed. The next cleanup or the next change of the same kind removes them. */
export const leftToCleaning: IgnoredFault = () => undefined;

/**
 * The lease could not be ended or renewed. After it has expired, another process acquires it and finds out what was
 * done.
 */
export const leftToLease: IgnoredFault = () => undefined;

/** An optimization is not available and is skipped. */
export const ignoreFault: IgnoredFault = () => undefined;
