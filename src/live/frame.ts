import type { Recorded } from '../kernel/event-store.js';
import type { Watched } from './live-stream.js';

/** An event as it goes out, made once for all who watch. One that is not shown keeps its place and has no name. */
export type Frame = {
  readonly revision: number;
  readonly event: string | null;
  /** JSON, so on one line whatever the event holds. */
  readonly data: string;
  /** Nothing follows. */
  readonly isFinal: boolean;
};

export function frameFor({ frameOf, finalTypes }: Watched, recorded: Recorded): Frame {
  const shown = frameOf(recorded);
  return {
    revision: recorded.revision,
    event: shown?.event ?? null,
    data: shown ? JSON.stringify(shown.data) : '',
    isFinal: finalTypes.has(recorded.type),
  };
}

/** What a frame costs to keep: about its characters, and some for the object around them. */
export const weightOf = ({ data }: Frame) => data.length + 200;
