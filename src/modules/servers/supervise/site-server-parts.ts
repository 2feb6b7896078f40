import type { ProgramLimits, Programs } from '../../../kernel/ports/outside/programs.js';
import type { ServerNeeds } from '../../sites/api/server-needs-reader.js';
import type { Stream } from '../output/printed-lines.js';

/** What a program is run with. */
export type SiteServerParts = {
  readonly programs: Programs;
  readonly limits: ProgramLimits;
  /** Of a request that finds out whether it answers. */
  readonly host: string;
  readonly content: () => AsyncIterable<Uint8Array>;
  /** Null for a site that is not shown. */
  readonly needs: () => Promise<ServerNeeds | null>;
  /** Waits for room, and for the right to start it. Refuses where there is none. */
  readonly admit: () => Promise<void>;
  /** Whether it could be started without another one's end. */
  readonly hasRoom: () => boolean;
  /** Is told of each change of its standing. `startMs` of one that has just started. Never rejects. */
  readonly onChange: (startMs: number | null) => Promise<void>;
  /** Of a crash that is the first in a row. Never rejects. */
  readonly onCrash: (reason: string) => Promise<void>;
  readonly onLine: (stream: Stream | null, text: string, isError: boolean) => void;
};
