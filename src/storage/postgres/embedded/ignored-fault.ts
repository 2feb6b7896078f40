/** Functions that ignore an error, and whose names say why: `client.end().catch(alreadyGone)`. */
type IgnoredEmbeddedFault = (fault: unknown) => undefined;

/** Ignores that a wait was aborted by its own signal. The caller checks the signal next. */
export const waitEnded: IgnoredEmbeddedFault = () => undefined;

/** Ignores a failure to close a connection that is already lost. */
export const alreadyGone: IgnoredEmbeddedFault = () => undefined;

/** Ignores that the machine does not allow an operation in one location. The caller tries another location. */
export const notPossibleHere: IgnoredEmbeddedFault = () => undefined;
