import type { RingBudget } from './frames/ring.js';
import type { LiveSource, SourceItem } from './live-source.js';
import type { LiveStream } from './live-stream.js';
import { StreamHistory } from './stream-history.js';
import { type LiveTail, StreamTail } from './stream-tail.js';

/** A stream of a `StreamSource`, regardless of the type of its items. */
export type SourcedStream = Pick<LiveStream, 'stream' | 'view' | 'textOf' | 'assertCanWatch' | 'session' | 'log'> & {
  readonly tail: (given: { readonly budget: RingBudget; readonly onAbandoned: () => void }) => LiveTail;
};

/** A source of streams other than the event store. Each process has one source for each kind of stream. */
export class StreamSource<Item extends SourceItem> {
  readonly #history: StreamHistory<Item>;

  constructor(private readonly source: LiveSource<Item>) {
    this.#history = new StreamHistory(source);
  }

  of(stream: LiveStream<Item>): SourcedStream {
    const { stream: name, view, textOf, assertCanWatch, session, log } = stream;
    return {
      stream: name,
      assertCanWatch,
      session,
      ...(view !== undefined && { view }),
      ...(textOf && { textOf }),
      ...(log && { log }),
      tail: (given) => new StreamTail({ stream, store: this.source, history: this.#history, ...given }),
    };
  }
}
