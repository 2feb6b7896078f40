import type { SourceItem } from '../live-source.js';
import type { LiveStream } from '../live-stream.js';

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

/** The frame of an item, as its stream shows it. */
export function frameFor<Item extends SourceItem>({ frameOf, finalTypes }: LiveStream<Item>, item: Item): Frame {
  const shown = frameOf(item);
  return {
    revision: item.revision,
    event: shown?.event ?? null,
    data: shown ? JSON.stringify(shown.data) : '',
    isFinal: finalTypes.has(item.type),
  };
}

/** Whether clients are shown it. */
export const isShown = ({ event }: Frame) => event !== null;

/** What a frame costs to keep, in characters: its data, and some for the object around it. */
export const weightOf = ({ data }: Frame) => data.length + 200;
