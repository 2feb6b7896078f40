const done = new WeakMap<object, number>();

/**
 * Says that so many more bytes were worked on for a request than it has sent: inflated from its body, or read of the
 * site that it changes. They count as if it had sent them.
 */
export const addWork = (request: object, bytes: number): void => void done.set(request, workDone(request) + bytes);

/** Bytes that were worked on for a request, beside those of its body. */
export const workDone = (request: object): number => done.get(request) ?? 0;
