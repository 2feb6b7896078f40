import type { ServerStanding } from '../../sites/api/server-state.js';

/** The server of a site, identified by the deploy that it runs. */
export type LeasedDeploy = {
  readonly siteId: string;
  readonly slug: string;
  readonly deployId: string;
  /** SHA-256 of the stored output or image, in hexadecimal. */
  readonly digest: string;
  readonly kind: 'next' | 'container';
};

export type ServerRow = LeasedDeploy &
  ServerStanding & {
    /** Worker that runs the server, or null if there is none. */
    readonly worker: string | null;
    /** Memory of the server in bytes when it was last measured. */
    readonly memoryBytes: number | null;
    readonly uses: number;
    /** Number of starts by all workers. */
    readonly starts: number;
    /** Duration of the last start in milliseconds, or null if it was never started. */
    readonly startMs: number | null;
  };

/** A process that runs servers. `place` is the address at which other processes reach it, or null if they can't. */
export type ServerWorker = {
  readonly worker: string;
  readonly place: { readonly host: string; readonly port: number } | null;
};

/** Regular report of a worker about one of its servers. */
export type ServerReport = Pick<ServerRow, 'deployId' | 'memoryBytes' | 'uses'>;

/**
 * Columns of a `ServerRow`. A running server whose worker is gone is shown as starting, because another worker will
 * start it.
 */
export const SERVER_ROW = `deploy_id as "deployId", site_id as "siteId", slug, digest, kind,
  case when state = 'running' and (leased_until > clock_timestamp()) is not true then 'starting' else state end as state,
  since, reason,
  case when leased_until > clock_timestamp() then worker end as worker,
  memory_bytes::float8 as "memoryBytes", uses, starts, start_ms as "startMs"`;
