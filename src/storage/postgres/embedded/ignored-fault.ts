/** Functions that ignore an error, and whose names say why: `client.end().catch(alreadyGone)`. */
type IgnoredEmbeddedFault = (fault: unknown) => undefined;

/** The wait was aborted by its own signal, which the caller checks next. */
export const waitEnded: IgnoredEmbeddedFault = () => undefined;

/** The connection to close is already lost. */
export const alreadyGone: IgnoredEmbeddedFault = () => undefined;

/** The machine does not allow the operation in this location. The caller tries another one. */
export const notPossibleHere: IgnoredEmbeddedFault = () => undefined;
