const done = new WeakMap<object, number>();

/**
 * Adds bytes that were processed in addition to the request body: decompressed from it, or read from the changed site.
 * They are charged as if the caller had sent them.
 */
export const addWork = (request: object, bytes: number): void => void done.set(request, workDone(request) + bytes);

export const workDone = (request: object): number => done.get(request) ?? 0;
