/** Why a fault may be ignored here, by name: `client.end().catch(alreadyGone)`. Each answers undefined. */
type IgnoredEmbeddedFault = (fault: unknown) => undefined;

/** A wait was ended early by its own signal: the code that waited looks at the signal next. */
export const waitEnded: IgnoredEmbeddedFault = () => undefined;

/** The connection to be closed is lost already. */
export const alreadyGone: IgnoredEmbeddedFault = () => undefined;

/** This machine does not let it be done here: another place is tried. */
export const notPossibleHere: IgnoredEmbeddedFault = () => undefined;
