import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { databaseUrl } from '../support/database/database-url.js';
import { freshDatabase } from '../support/database/test-database.js';
import { StandIn } from '../support/eventstore/kurrent/stand-in.js';
import { operator } from '../support/service/operator-command.js';
import { startStele, temporaryFolder } from '../support/service/stele.js';

const PATIENCE = 180_000;

describe('Starting a version on the data of a newer one', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let client: Client;

  beforeEach(async () => {
    temporary = await temporaryFolder('going-back');
    database = await freshDatabase();
    client = new Client(database.config);
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
    await temporary.remove();
  });

  const env = (more: Record<string, string>) => ({ DATABASE_URL: databaseUrl(database.config), ...more });
  const start = (more: Record<string, string> = {}) => startStele({ folder: temporary.folder, env: env(more) });
  const startAndStop = async (
    more: Record<string, string> = {},
    use?: (stele: Awaited<ReturnType<typeof start>>) => Promise<unknown>,
  ) => {
    const stele = await start(more);
    await use?.(stele);
    await stele.stop();
  };
  const refusal = async (more: Record<string, string> = {}) =>
    start(more).then(
      async (stele) => {
        await stele.stop();
        return 'It started.';
      },
      (error: Error) => error.message,
    );
  /**
   * Records that a newer schema version of an event type is in use, as a newer version of the service does when it
   * starts.
   */
  const knowsMore = (type: string, schema: number) =>
    client.query(
      'insert into written_shapes values ($1, $2) on conflict (type) do update set schema = excluded.schema',
      [type, schema],
    );
  const recorded = (type: string, schema: number) =>
    client.query(
      `insert into events (stream, revision, id, type, schema, at, actor, data)
       values ('run-newer', (select count(*) + 1 from events where stream = 'run-newer'), gen_random_uuid()::text, $1, $2, '2026-01-01T00:00:00.000Z', '{}', '{}')`,
      [type, schema],
    );
  const all = async () =>
    (
      await client.query(
        `select query_to_xml('select * from events', true, false, '')::text || query_to_xml('select * from checkpoints', true, false, '')::text as all`,
      )
    ).rows;

  it(
    'the service runs if a newer version was started but recorded no newer events',
    async () => {
      await startAndStop({ EVENTSTORE_URL: '' }, (stele) =>
        stele.api.post('/v1/deploy').type('html').send('<h1>1</h1>').expect(200),
      );
      await knowsMore('SiteFlown', 1);
      await knowsMore('SiteDeployed', 99);
      await startAndStop({ EVENTSTORE_URL: '' });
    },
    PATIENCE,
  );

  it(
    'the service exits with instructions and changes nothing if an event has an unknown type or version',
    async () => {
      await startAndStop({ EVENTSTORE_URL: '' });
      await knowsMore('SiteFlown', 1);
      await knowsMore('SiteDeployed', 99);
      await recorded('SiteFlown', 1);
      await recorded('SiteDeployed', 99);
      const before = await all();
      const said = await refusal({ EVENTSTORE_URL: '' });
      expect(said).toContain('Stele ended (1)');
      expect(said).toContain('events that this version cannot read (SiteDeployed version 99, SiteFlown)');
      expect(said).toContain('restore a backup of the data from before the upgrade');
      const ran = await operator('projections', ['rebuild'], env({ STELE_DATA: temporary.folder })).ran;
      expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('SiteFlown')]);
      expect(await all()).toEqual(before);
    },
    PATIENCE,
  );

  it(
    'the service exits if tables or content have an unknown format',
    async () => {
      await startAndStop({ EVENTSTORE_URL: '' });
      await knowsMore('(data)', 99);
      expect(await refusal({ EVENTSTORE_URL: '' })).toContain('a newer data format (99');
    },
    PATIENCE,
  );

  it(
    'events of a newer version are detected in EventStoreDB too',
    async () => {
      const server = await StandIn.start();
      const store = { EVENTSTORE_URL: server.url };
      await startAndStop(store, (stele) => stele.api.post('/v1/deploy').type('html').send('<h1>1</h1>').expect(200));
      await knowsMore('SiteFlown', 1);
      await startAndStop(store);
      const [event] = server.log.ours();
      server.log.append('run-newer', -1, [{ ...event!, type: 'SiteFlown' }]);
      expect(await refusal(store)).toContain('(SiteFlown)');
      server.stop();
    },
    PATIENCE,
  );
});
