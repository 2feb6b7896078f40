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
    readonly worker: string | null;
    readonly memoryBytes: number | null;
    readonly uses: number;
    readonly starts: number;
    /** Duration of the last start, or null if the server was never started. */
    readonly startMs: number | null;
  };

/** `place` is the address at which other processes reach the worker, or null if they can't. */
export type ServerWorker = {
  readonly worker: string;
  readonly place: { readonly host: string; readonly port: number } | null;
};

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
