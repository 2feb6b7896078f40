/**
 * Functions that ignore an error and whose names say why: `client.end().catch(alreadyGone)`. Each returns undefined.
 */
type IgnoredEmbeddedFault = (fault: unknown) => undefined;

/** The wait was aborted by its own signal. The caller checks that signal next. */
export const waitEnded: IgnoredEmbeddedFault = () => undefined;

/** The connection that should be closed is already lost. */
export const alreadyGone: IgnoredEmbeddedFault = () => undefined;

/** This machine does not allow the operation in this location, so another location is tried. */
export const notPossibleHere: IgnoredEmbeddedFault = () => undefined;
