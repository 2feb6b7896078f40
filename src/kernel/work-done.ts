const done = new WeakMap<object, number>();

/**
 * Counts bytes that were processed in addition to the request body: decompressed from it, or read from the site being
 * changed. The caller is charged as if they had sent these bytes.
 */
export const addWork = (request: object, bytes: number): void => void done.set(request, workDone(request) + bytes);

export const workDone = (request: object): number => done.get(request) ?? 0;
