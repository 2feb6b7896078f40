import type { ServerStanding } from '../../sites/api/server-state.js';

/** A program of a site: the deploy that it is, and how it is stored. */
export type LeasedProgram = {
  readonly siteId: string;
  readonly slug: string;
  readonly deployId: string;
  /** SHA-256 of the stored output or image, hexadecimal. */
  readonly digest: string;
  readonly kind: 'next' | 'container';
};

export type ServerRow = LeasedProgram &
  ServerStanding & {
    /** Which worker has it; null while none does. */
    readonly worker: string | null;
    /** Of the program when that was last asked, in bytes. */
    readonly memoryBytes: number | null;
    readonly uses: number;
    /** How often it was started, of all workers. */
    readonly starts: number;
    /** How long its last start took, in milliseconds; null before the first. */
    readonly startMs: number | null;
  };

/** A process that runs programs, and where others reach it; null where there can be none. */
export type ServerWorker = {
  readonly worker: string;
  readonly place: { readonly host: string; readonly port: number } | null;
};

/** What a worker says of one of its programs, again and again. */
export type ServerReport = Pick<ServerRow, 'deployId' | 'memoryBytes' | 'uses'>;

/**
 * Columns of a `ServerRow`. What ran in a worker that is gone is to be started by another one.
 */
export const SERVER_ROW = `deploy_id as "deployId", site_id as "siteId", slug, digest, kind,
  case when state = 'running' and (leased_until > clock_timestamp()) is not true then 'starting' else state end as state,
  since, reason,
  case when leased_until > clock_timestamp() then worker end as worker,
  memory_bytes::float8 as "memoryBytes", uses, starts, start_ms as "startMs"`;
