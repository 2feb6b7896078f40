/** Named reasons for ignoring an error: `client.end().catch(alreadyGone)`. Each function returns undefined. */
type IgnoredEmbeddedFault = (fault: unknown) => undefined;

/** The wait was ended early by its own signal. The caller checks the signal next. */
export const waitEnded: IgnoredEmbeddedFault = () => undefined;

/** The connection to be closed is already lost. */
export const alreadyGone: IgnoredEmbeddedFault = () => undefined;

/** This machine does not allow the operation here, so another place is tried. */
export const notPossibleHere: IgnoredEmbeddedFault = () => undefined;
