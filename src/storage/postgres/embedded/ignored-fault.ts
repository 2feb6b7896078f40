/** Functions that ignore an error, and whose names say why: `client.end().catch(alreadyGone)`. */
type IgnoredEmbeddedFault = (fault: unknown) => undefined;

/** Ignores the error of a wait that was aborted by its own signal. The caller checks the signal afterwards. */
export const waitEnded: IgnoredEmbeddedFault = () => undefined;

/** Ignores a failure to close a connection that is already lost. */
export const alreadyGone: IgnoredEmbeddedFault = () => undefined;

/**
 * Ignores the failure of an operation that the machine does not allow in one location. The caller tries another
 * location.
 */
export const notPossibleHere: IgnoredEmbeddedFault = () => undefined;
