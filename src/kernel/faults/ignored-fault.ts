/** A handler that ignores a fault. Its name states the reason: `client.end().catch(alreadyGone)`. */
type IgnoredFault = (fault: unknown) => undefined;

/**
 * Ignores the error of a wait that was ended by its own abort signal, because the waiting code checks the signal next.
 */
export const waitEnded: IgnoredFault = () => undefined;

/** Ignores a failure to close or cancel a resource that is already closed or closes by itself. */
export const alreadyGone: IgnoredFault = () => undefined;

/**
 * Ignores a failure to roll back a transaction or to drop a temporary table. PostgreSQL does this itself, because the
 * connection is lost.
 */
export const endedWithConnection: IgnoredFault = () => undefined;

/** Ignores a fault that is handled by other code awaiting the same promise. Only prevents an unhandled rejection. */
export const heardElsewhere: IgnoredFault = () => undefined;

/**
 * Ignores a failure to remove some files or rows. The next cleanup, or the next change of the same kind, removes them.
 */
export const leftToCleaning: IgnoredFault = () => undefined;

/**
 * Ignores a failure to end or renew a lease. Once the lease has expired, another process acquires it and finds out what
 * was done.
 */
export const leftToLease: IgnoredFault = () => undefined;

/** Ignores a failed optimization. The work continues without it. */
export const ignoreFault: IgnoredFault = () => undefined;
