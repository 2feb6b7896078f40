import type { SourceItem } from '../live-source.js';
import type { ClientEvent, LiveStream } from '../live-stream.js';

/** An event as clients get it, made once for all of them. One that is not shown keeps its place, without a name. */
export type Frame = {
  readonly revision: number;
  /** Its name for clients; null when it is not shown. */
  readonly event: string | null;
  /** JSON on one line; empty when the event is not shown. */
  readonly data: string;
  /** Nothing follows in this stream. */
  readonly isFinal: boolean;
};

/** What clients see of items, in their order. */
export async function shownOf<Item extends SourceItem>(
  { frameOf, prepare }: Pick<LiveStream<Item>, 'frameOf' | 'prepare'>,
  items: readonly Item[],
): Promise<(ClientEvent | null)[]> {
  return items.map(prepare && items.length > 0 ? await prepare(items) : frameOf);
}

/** The frames of items, as their stream shows them. */
export async function framesFor<Item extends SourceItem>(
  stream: LiveStream<Item>,
  items: readonly Item[],
): Promise<Frame[]> {
  const shown = await shownOf(stream, items);
  return items.map(({ revision, type }, at) => {
    const { event, data } = shown[at] ?? { event: null, data: null };
    return { revision, event, data: data ? JSON.stringify(data) : '', isFinal: stream.finalTypes.has(type) };
  });
}

/** Whether clients are shown it. */
export const isShown = ({ event }: Frame) => event !== null;

/** What a frame costs to keep, in characters: its data, and some for the object around it. */
export const weightOf = ({ data }: Frame) => data.length + 200;
