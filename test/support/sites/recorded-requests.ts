import { Client } from 'pg';
import { SITE_LOG_CHANNEL } from '../../../src/modules/traffic/api/site-log.js';
import type { Stele } from '../service/stele.js';

export type RecordedRequest = {
  readonly id: string;
  readonly site_id: string;
  readonly at: Date;
  readonly hits: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly bytes: string;
  readonly ms: number;
  readonly referrer: string | null;
  readonly client: string;
  readonly is_page: boolean;
  readonly counted: boolean;
  readonly visitor: string | null;
  readonly browser: string | null;
  readonly system: string | null;
  readonly device: string | null;
  readonly country: string | null;
};

/** Waits until a site's access log contains this many requests, and returns its entries, ordered by ID. */
export async function recordedRequests(
  { database }: Pick<Stele, 'database'>,
  siteId: string,
  hits: number,
): Promise<RecordedRequest[]> {
  const client = new Client(database);
  await client.connect();
  try {
    const isHeard = async () => new Promise<void>((resolve) => client.once('notification', () => resolve()));
    await client.query(`listen ${SITE_LOG_CHANNEL}`);
    for (;;) {
      const heard = isHeard();
      const { rows } = await client.query<RecordedRequest>(
        'select * from access_entries where site_id = $1 order by id',
        [siteId],
      );
      if (rows.reduce((sum, row) => sum + row.hits, 0) >= hits) return rows;
      await heard;
    }
  } finally {
    await client.end();
  }
}
