import { Transform } from 'node:stream';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';

type Source<Item> = {
  readonly readableLength: number;
  read(): Item | null;
  destroy(): unknown;
  on(event: string, listener: (...args: unknown[]) => void): unknown;
};

/**
 * Yields the items of a stream as they arrive, in lists of everything that is available. After `idleMs` without items,
 * yields an empty list, so that the caller can check whether items were missed. Ends when the stream ends or `signal`
 * aborts. If the stream fails, yields the remaining items before throwing. Always calls `cancel`.
 */
export async function* readAvailable<Item>(
  source: Source<Item>,
  cancel: () => Promise<void>,
  idleMs: number,
  signal: AbortSignal,
): AsyncGenerator<readonly Item[], void, void> {
  let wake: () => void = () => undefined;
  let ended = false;
  let fault: unknown;
  const wakeUp = () => wake();
  // This listener is never removed, because an error without a listener would end the process.
  source.on('error', (error) => {
    fault ??= error ?? new Error('The stream failed.');
    wakeUp();
  });
  source.on('readable', wakeUp);
  for (const end of ['end', 'close']) {
    source.on(end, () => {
      ended = true;
      wakeUp();
    });
  }
  signal.addEventListener('abort', wakeUp, { once: true });
  catchFaults(source);

  try {
    while (!signal.aborted) {
      const items: Item[] = [];
      for (let item: Item | null = source.read(); item !== null; item = source.read()) items.push(item);
      if (items.length > 0) yield items;
      else if (fault !== undefined) throw fault;
      else if (ended) return;
      else {
        const { promise, resolve } = Promise.withResolvers<'late' | 'stirred'>();
        wake = () => resolve('stirred');
        const timer = setTimeout(resolve, idleMs, 'late');
        const outcome = await promise;
        clearTimeout(timer);
        if (outcome === 'late' && source.readableLength === 0) yield [];
      }
    }
  } finally {
    signal.removeEventListener('abort', wakeUp);
    cancel().catch(alreadyGone);
    source.destroy();
  }
}

/**
 * Reports conversion errors (for example, for a record without an ID) as errors of the stream. Otherwise, nothing would
 * catch them, and they would end the process.
 */
function catchFaults(source: unknown): void {
  if (!(source instanceof Transform)) return;
  const transform: (...args: Parameters<Transform['_transform']>) => unknown = source._transform.bind(source);
  source._transform = (chunk, encoding, next) => {
    const failed = (error: unknown) => void source.destroy(error instanceof Error ? error : new Error(String(error)));
    try {
      const outcome = transform(chunk, encoding, next);
      if (outcome instanceof Promise) outcome.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}
