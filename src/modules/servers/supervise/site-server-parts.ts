import type { ServerLimits, ServerRunner } from '../../../kernel/ports/outside/server-runner.js';
import type { ServerNeeds } from '../../sites/api/server-needs-reader.js';
import type { Stream } from '../output/printed-lines.js';

export type SiteServerParts = {
  readonly runner: ServerRunner;
  readonly limits: ServerLimits;
  /** Value of the Host header in health checks. */
  readonly host: string;
  readonly content: () => AsyncIterable<Uint8Array>;
  /** Reads what the server needs to start. Resolves to null if the site is no longer available. */
  readonly needs: () => Promise<ServerNeeds | null>;
  /**
   * Waits until this process has room for the server and holds its lease. Rejects if there is no room, or if another
   * worker has the lease.
   */
  readonly admit: () => Promise<void>;
  readonly hasRoom: () => boolean;
  /** Records the state of the server. `startMs` is null unless the server has just started. Must not reject. */
  readonly onChange: (startMs: number | null) => Promise<void>;
  /** Reports the first of several consecutive crashes. Must not reject. */
  readonly onCrash: (reason: string) => Promise<void>;
  readonly onLine: (stream: Stream | null, text: string, isError: boolean) => void;
};
