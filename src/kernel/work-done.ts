const done = new WeakMap<object, number>();

/**
 * Adds bytes that were processed for a request in addition to its body, either decompressed from the body or read from
 * the site that the request changes. They are charged as if the caller had sent them.
 */
export const addWork = (request: object, bytes: number): void => void done.set(request, workDone(request) + bytes);

/** Returns how many bytes were processed for a request in addition to its body. */
export const workDone = (request: object): number => done.get(request) ?? 0;
