/** A handler that ignores a fault. Its name states the reason: `client.end().catch(alreadyGone)`. */
type IgnoredFault = (fault: unknown) => undefined;

/** Ignores that a wait was ended early by its own abort signal. The waiting code checks the signal next. */
export const waitEnded: IgnoredFault = () => undefined;

/** Ignores a failure to close or cancel a resource that is already closed or closes by itself. */
export const alreadyGone: IgnoredFault = () => undefined;

/**
 * Ignores a failure to roll back or to drop a temporary table. The connection is lost, so PostgreSQL does both anyway.
 */
export const endedWithConnection: IgnoredFault = () => undefined;

/** Ignores a fault that other code, which awaits the same promise, handles. Only prevents an unhandled rejection. */
export const heardElsewhere: IgnoredFault = () => undefined;

/**
 * Ignores that some files or rows were not removed. The next cleanup or the next change of the same kind removes them.
 */
export const leftToCleaning: IgnoredFault = () => undefined;

/**
 * Ignores that a lease could not be ended or renewed. After it has expired, another process acquires it and finds out
 * what was done.
 */
export const leftToLease: IgnoredFault = () => undefined;

/** Ignores that an optimization is not available. The optimization is skipped. */
export const ignoreFault: IgnoredFault = () => undefined;
