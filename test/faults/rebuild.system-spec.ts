// needs: database

import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { siteReadModel } from '../../src/projections/models/site.projection.js';
import { ofVersion } from '../../src/projections/table-names.js';
import { databaseUrl } from '../support/database/database-url.js';
import { freshDatabase } from '../support/database/test-database.js';
import { writeLongLog } from '../support/eventstore/long-log.js';
import { testStore } from '../support/eventstore/test-store.js';
import { sized } from '../support/jest/sized.js';
import { operator } from '../support/service/operator-command.js';
import { waitForOutput } from '../support/service/output.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

/** `STELE_TEST_EVENTS=1000000` takes some minutes. */
const EVENTS = Number(process.env.STELE_TEST_EVENTS ?? sized(12_000, 6_000));
const PER_SECOND = 50;
const KILLED_REBUILDS = sized(6, 3);
const KILLED_PROCESSES = sized(4, 2);

describe('Read models that are updated and rebuilt by several processes', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let client: pg.Client;
  let env: Record<string, string>;
  const running: Stele[] = [];
  const start = async () => {
    const stele = await startStele({ folder: temporary.folder, env });
    running.push(stele);
    return stele;
  };
  const projections = (...args: string[]) => operator('projections', args, { ...env, STELE_DATA: temporary.folder });

  beforeAll(async () => {
    temporary = await temporaryFolder('rebuild');
    database = await freshDatabase();
    const place = { DATABASE_URL: databaseUrl(database.config) };
    env = { ...place, ...(await testStore(place)) };
    await writeLongLog(database.config, EVENTS, env.EVENTSTORE_URL);
    client = new pg.Client(database.config);
    await client.connect();
  }, 600_000);
  afterAll(async () => {
    await Promise.all(running.map((stele) => stele.stop()));
    await client.end();
    await database.drop();
    await temporary.remove();
  });

  type Site = { readonly slug: string; readonly editToken: string };

  async function asked(stele: Stele, path: string, init: RequestInit = {}) {
    const response: Response = await fetch(`${stele.base}${path}`, init);
    const body = (await response.json()) as Record<string, unknown> & { items?: { deployId?: string }[] };
    if (response.status !== 200)
      throw new Error(`${init.method ?? 'GET'} ${path}: ${response.status} ${JSON.stringify(body)}`);
    return { body, position: response.headers.get('stele-position') ?? '' };
  }

  /** Sends a redeploy and checks that each read model shows it: one write and four reads. */
  async function turn(stele: Stele, { slug, editToken }: Site, html: string) {
    const headers = { 'x-svc-edit-token': editToken };
    const { body, position } = await asked(stele, `/v1/deploy?slug=${slug}`, {
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'text/html' },
      body: html,
    });
    const [site, deploys, history] = await Promise.all([
      asked(stele, `/v1/sites/${slug}`),
      asked(stele, `/v1/sites/${slug}/deploys?limit=1`, { headers }),
      asked(stele, `/v1/sites/${slug}/history?limit=1`, { headers }),
    ]);
    const [last] = history.body.items as { data: { deployId: string } }[];
    const seen = [
      [site, site.body.deployId],
      [deploys, deploys.body.items?.[0]?.deployId],
      [history, last?.data.deployId],
    ] as const;
    for (const [answer, deployId] of seen) {
      // Skips a response from before the redeploy. On a busy machine, waiting for the read models may time out after
      // two seconds, and the response is then marked as stale.
      if (BigInt(answer.position) < BigInt(position)) continue;
      if (deployId !== body.deployId)
        throw new Error(`${slug} was deployed as ${body.deployId}, and read as ${deployId}.`);
    }
    return 4;
  }

  /**
   * Sends requests until `isOver` returns true, at the rate that the service promises to handle. Returns the number of
   * requests, and the errors.
   */
  async function load(stele: Stele, sites: readonly Site[], isOver: () => boolean) {
    const faults: string[] = [];
    let requests = 0;
    const began = performance.now();
    const turns: Promise<void>[] = [];
    // Sites without a redeploy in progress. A site has at most one at a time, so that the reads after a redeploy show
    // that redeploy.
    const idle = [...sites];
    const turnOf = async (site: Site, n: number) => {
      try {
        requests += await turn(stele, site, `<p>${n}</p>`);
      } catch (error) {
        faults.push(String(error));
      }
      idle.push(site);
    };
    for (let n = 0; !isOver(); n++) {
      const site = idle.shift();
      if (site) turns.push(turnOf(site, n));
      await delay(Math.max(0, began + ((n + 1) * 4_000) / PER_SECOND - performance.now()));
    }
    await Promise.all(turns);
    return { requests, faults, perSecond: (requests / (performance.now() - began)) * 1000 };
  }

  const newSites = (stele: Stele, count: number) =>
    Promise.all(
      Array.from({ length: count }, async (): Promise<Site> => {
        const { body } = await asked(stele, '/v1/deploy', {
          method: 'POST',
          headers: { 'content-type': 'text/html' },
          body: '<p>first</p>',
        });
        return { slug: String(body.slug), editToken: String(body.editToken) };
      }),
    );

  it('read models are built from an existing log before the first process accepts connections', async () => {
    const stele = await start();
    await waitForOutput(stele.printed, /site, deploy, history, membership[\w, ]*: read [\d,]+ events/);
    const { rows } = await client.query('select count(*)::int as count from history');
    expect(rows[0].count).toBe(EVENTS);
  }, 600_000);

  it(`no request fails or returns stale data during a rebuild at ${PER_SECOND} requests a second`, async () => {
    const [stele] = running;
    const own = await newSites(stele!, 40);
    let isOver = false;
    const loading = load(stele!, own, () => isOver);
    for (let time = 0; time < 3; time++) {
      const { code, out, err } = await projections('rebuild', 'site', 'history').ran;
      expect([code, out, err]).toEqual([
        0,
        expect.stringMatching(/^Rebuilt: site \(version \d+\), history \(version \d+\)\.\n$/),
        expect.any(String),
      ]);
    }
    isOver = true;
    const { faults, requests } = await loading;
    expect(faults).toEqual([]);
    expect(requests).toBeGreaterThan(10);
    const { code, out } = await projections('verify').ran;
    expect([code, out]).toEqual([0, expect.stringMatching(/^(\w+: matches the log at position .*\n){4,}$/)]);
  }, 600_000);

  it('a rebuild succeeds after an earlier rebuild was killed at any moment', async () => {
    const began = performance.now();
    expect((await projections('rebuild').ran).code).toBe(0);
    // Limits the random delay before a kill, because a rebuild takes much longer on a busy machine.
    const whole = Math.min(2_500, Math.ceil(performance.now() - began));
    for (let round = 0; round < KILLED_REBUILDS; round++) {
      const { child, ran } = projections('rebuild');
      await delay(randomInt(Math.ceil(whole / 5), whole));
      child.kill('SIGKILL');
      await ran;
    }
    const { code, err } = await projections('rebuild').ran;
    expect([code, err]).toEqual([0, expect.any(String)]);
    expect((await projections('verify').ran).code).toBe(0);
    const { rows } = await client.query("select * from rebuilds where state <> 'replaced'");
    expect(rows).toEqual([]);
  }, 600_000);

  it('a second rebuild is refused while one is running', async () => {
    const both = await Promise.all([projections('rebuild', 'history').ran, projections('rebuild', 'history').ran]);
    const codes = both.map(({ code }) => code).sort();
    // If the rebuilds overlap, one of them fails. If the first ends before the second begins, both succeed.
    expect([
      [0, 0],
      [0, 1],
    ]).toContainEqual(codes);
    for (const { code, err } of both)
      if (code === 1) expect(err).toMatch('history is being rebuilt by another process.');
  }, 120_000);

  it('read models match the log after each of the three processes that update them is killed', async () => {
    await Promise.all([start(), start()]);
    const own = await newSites(running[0]!, 40);
    for (let round = 0; round < KILLED_PROCESSES; round++) {
      const victim = running.splice(randomInt(running.length), 1)[0]!;
      let isOver = false;
      const loading = Promise.all(running.map((stele, n) => load(stele, own.slice(20 * n, 20 * n + 20), () => isOver)));
      const onVictim = newSites(victim, 20).catch(() => []);
      await delay(randomInt(50, 800));
      await victim.stop('SIGKILL');
      await onVictim;
      await start();
      isOver = true;
      for (const { faults } of await loading) expect(faults).toEqual([]);
    }
    const { code, out } = await projections('verify').ran;
    expect([code, out]).toEqual([0, expect.stringMatching(/^(\w+: matches the log at position .*\n){4,}$/)]);
  }, 600_000);

  it('the read-model check reports a row that was edited by hand', async () => {
    const table = ofVersion('sites', siteReadModel.version);
    await client.query(`update ${table} set title = 'changed' where site_id = (select max(site_id) from ${table})`);
    const { code, out } = await projections('verify', 'site').ran;
    expect([code, out]).toEqual([2, expect.stringMatching(/^site: DOES NOT MATCH the log[\s\S]*found .*changed/)]);
  }, 120_000);
});
