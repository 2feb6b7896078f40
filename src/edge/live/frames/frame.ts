import type { SourceItem } from '../live-source.js';
import type { ClientEvent, LiveStream } from '../live-stream.js';

/** An event, encoded once for all clients. A hidden event has a revision but no name. */
export type Frame = {
  readonly revision: number;
  /** Name of the event; null if it is hidden. */
  readonly event: string | null;
  /** JSON on one line, or an empty string if the event is hidden. */
  readonly data: string;
  readonly isFinal: boolean;
};

/** Converts each item to the event that clients see. Returns null in place of each hidden item. */
export async function buildShownEvents<Item extends SourceItem>(
  { frameOf, prepare }: Pick<LiveStream<Item>, 'frameOf' | 'prepare'>,
  items: readonly Item[],
): Promise<(ClientEvent | null)[]> {
  return items.map(prepare && items.length > 0 ? await prepare(items) : frameOf);
}

export async function buildFrames<Item extends SourceItem>(
  stream: LiveStream<Item>,
  items: readonly Item[],
): Promise<Frame[]> {
  const shown = await buildShownEvents(stream, items);
  return items.map(({ revision, type }, at) => {
    const { event, data } = shown[at] ?? { event: null, data: null };
    return { revision, event, data: data ? JSON.stringify(data) : '', isFinal: stream.finalTypes.has(type) };
  });
}

export const isShown = ({ event }: Frame) => event !== null;

/** Returns the memory cost of a frame in characters: its data, plus an estimate for the object itself. */
export const computeWeight = ({ data }: Frame) => data.length + 200;
