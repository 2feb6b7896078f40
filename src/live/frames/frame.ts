import type { Recorded } from '../../kernel/event-store.js';
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

/** The frame of a stored event, as its stream shows it. */
export function frameFor({ frameOf, finalTypes }: LiveStream, recorded: Recorded): Frame {
  const shown = frameOf(recorded);
  return {
    revision: recorded.revision,
    event: shown?.event ?? null,
    data: shown ? JSON.stringify(shown.data) : '',
    isFinal: finalTypes.has(recorded.type),
  };
}

/** What a frame costs to keep, in characters: its data, and some for the object around it. */
export const weightOf = ({ data }: Frame) => data.length + 200;
