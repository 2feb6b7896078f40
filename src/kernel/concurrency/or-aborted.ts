/** Resolves to the value of the promise, or to undefined as soon as `signal` aborts. */
export async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  if (signal.aborted) return undefined;
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const end = () => resolve(undefined);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/**
 * Resolves to the value of the promise, or throws the reason of `signal` as soon as it aborts. The work behind the
 * promise then continues, so it must not leave a process or a mount behind if this process exits.
 */
export async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const value = await orAborted(promise, signal);
  signal.throwIfAborted();
  return value as Value;
}
