import type { LogChunk } from '../../../edge/browser/log-line.js';
import { JobLogged, jobStream } from '../../../events/job.events.js';
import type { EventStore } from '../../../kernel/event-store.js';

/** Maximum number of log lines that a page shows initially. */
const MAX_LINES = 2_000;
const MAX_CHARACTERS = 512 * 1_024;
const PAGE = 32;

/** Returns the newest lines of a job's log up to a revision, oldest first, in the chunks in which they were logged. */
export async function newestLog(store: EventStore, jobId: string, revision: number): Promise<readonly LogChunk[]> {
  const chunks: LogChunk[] = [];
  const room = { lines: MAX_LINES, characters: MAX_CHARACTERS };
  for (let to = revision; to > 0; to -= PAGE) {
    const from = Math.max(0, to - PAGE);
    const events = await store.page(jobStream(jobId), from, to - from);
    for (const { data } of events.filter(({ type }) => type === JobLogged.type).reverse()) {
      const { step, lines } = data as LogChunk;
      const first = firstThatFits(lines, room);
      if (first < lines.length) chunks.unshift({ step, lines: lines.slice(first) });
      if (first > 0) return chunks;
    }
  }
  return chunks;
}

/**
 * Returns the index of the first line that fits into `room` together with all later lines. Reduces `room` by the number
 * and size of these lines.
 */
function firstThatFits(lines: LogChunk['lines'], room: { lines: number; characters: number }): number {
  for (let at = lines.length; at > 0; at--) {
    room.lines--;
    room.characters -= lines[at - 1]?.text.length ?? 0;
    if (room.lines < 0 || room.characters < 0) return at;
  }
  return 0;
}
