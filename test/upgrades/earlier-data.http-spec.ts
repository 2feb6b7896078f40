import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { catalogue } from '../../src/events/catalogue.js';
import { StandIn } from '../support/eventstore/kurrent/stand-in.js';
import { operator } from '../support/service/operator-command.js';
import { type Stele, startStele } from '../support/service/stele.js';
import { verify } from '../support/sites/audit-verifier.js';
import { differences } from '../support/upgrades/as-before.js';
import { earlierData, earlierVersionsToTry } from '../support/upgrades/earlier-data.js';
import { ServiceAsked } from '../support/upgrades/service-asked.js';
import { lookAgain } from '../support/upgrades/story.js';

const PATIENCE = 180_000;
/** Settings that keep old streams, and that prevent requests to public DNS servers. */
const env = { STELE_STREAMS_KEPT: '36500d', STELE_DNS_SERVERS: '127.0.0.1' };

/** Matches the names of requests about invites. The invites of the earlier data have expired. */
const ENDED_MEANWHILE = /\/invites for /;

/**
 * Intended differences: a file now has the `cache-control` that the site sets for it, at each of its URLs and in a
 * rewrite (docs/decisions/0157).
 */
const CHANGED_ON_PURPOSE = ['/about.html', '/shown'].map(
  (path) => `a folder: folder ${path}: cache-control: public, max-age=0, must-revalidate is max-age=60`,
);

describe.each(earlierVersionsToTry)('The data folder of the earlier version %s', (commit) => {
  let earlier: Awaited<ReturnType<typeof earlierData>>;
  let eventStore: StandIn;

  beforeAll(async () => {
    earlier = await earlierData(commit);
    eventStore = await StandIn.start();
  }, PATIENCE);
  afterAll(async () => {
    eventStore.stop();
    await earlier.remove();
  });

  const running = async (more: Record<string, string>, use: (stele: Stele) => Promise<void>) => {
    const stele = await startStele({ folder: earlier.folder, env: { ...env, ...more } });
    try {
      await use(stele);
    } finally {
      await stele.stop();
    }
  };

  /** Repeats the requests of the earlier version's users. Returns the differences from the earlier responses. */
  const otherwise = async ({ port }: Stele, positions = false) => {
    const moved = { ms: earlier.movedMs, positions };
    const told = await lookAgain(new ServiceAsked(port, earlier.story.port), earlier.story);
    const lasting = Object.entries(earlier.story.told).filter(([name]) => !ENDED_MEANWHILE.test(name));
    const found = lasting.flatMap(([name, was]) =>
      differences(was, told[name] ?? { status: 0, headers: {}, body: '' }, moved).map((each) => `${name}: ${each}`),
    );
    return found.filter((each) => !CHANGED_ON_PURPOSE.includes(each));
  };

  it(
    'sites and data of an earlier version are served as before, and can be changed',
    async () => {
      expect(Object.keys(earlier.story.told).length).toBeGreaterThan(90);
      await running({}, async (stele) => {
        expect(await otherwise(stele)).toEqual([]);
        const stored = await stele.query('select stream, type, schema, data from events order by position');
        for (const { type, schema, data } of stored) {
          expect([type, catalogue.knows(String(type), Number(schema))]).toEqual([type, 'known']);
          catalogue.write(String(type), catalogue.read(String(type), JSON.parse(String(data)), Number(schema)));
        }
        await goOn(stele);
      });
    },
    PATIENCE,
  );

  it(
    'the data of an earlier version can be moved to EventStoreDB, and is served from there as before',
    async () => {
      const places = ['copy', '--from', 'embedded', '--to', eventStore.url];
      const { code, out, err } = await operator('events', places, { STELE_DATA: earlier.folder }).ran;
      expect([code, err.match(/broken/)]).toEqual([0, null]);
      expect(out).toMatch(/Both logs are identical\. ([\d,]+) of \1 hash chains are valid\./);
      await running({ EVENTSTORE_URL: eventStore.url }, async (stele) => {
        // Ignores two sites that the previous test redeployed, and their owner's list of sites, in which they now come
        // first.
        const more = (await otherwise(stele, true)).filter(
          (each) => !/\b(page|scripted)\b|^\/v1\/me\/sites /.test(each.slice(0, 100)),
        );
        expect(more).toEqual([]);
        await goOn(stele);
      });
    },
    PATIENCE,
  );

  /**
   * Redeploys a site with an edit token and another with an access token, enters a site with its password, and
   * verifies a history.
   */
  async function goOn(stele: Stele) {
    const { callers } = earlier.story;
    const service = new ServiceAsked(stele.port);
    const page = {
      method: 'PATCH',
      path: '/v1/deploy?slug=page',
      headers: { ...callers.page, 'content-type': 'text/html' },
    };
    await service.get({ ...page, body: '<h1>After the upgrade</h1>' });
    expect((await service.ask({ site: 'page', path: '/' })).text).toBe('<h1>After the upgrade</h1>');
    const byScript = { ...page, path: '/v1/deploy?slug=scripted', headers: { ...page.headers, ...callers.script } };
    if (callers.script) await service.get({ ...byScript, body: '<h1>By the same script</h1>' });
    const password = { 'content-type': 'application/x-www-form-urlencoded' };
    const entered = await service.ask({
      site: 'guarded',
      path: '/.stele/',
      headers: password,
      body: 'password=open+sesame',
    });
    expect(entered.status).toBe(303);
    expect(String(entered.headers['set-cookie'])).toContain('stele_visitor=');

    const keys = join(earlier.folder, 'keys.json');
    await writeFile(keys, (await service.ask({ path: '/.well-known/stele-audit-key' })).bytes);
    for (const [slug, caller] of [
      ['page', 'page'],
      ['team', 'ann'],
    ] as const) {
      const path = `/v1/sites/${slug}/history`;
      const headers = { ...callers[caller], accept: 'application/x-ndjson' };
      const before = earlier.story.told[`${path} for ${caller} as application/x-ndjson`]?.body ?? '';
      const [now, then] = [join(earlier.folder, 'now.ndjson'), join(earlier.folder, 'then.ndjson')];
      await writeFile(now, (await service.ask({ path, headers })).bytes);
      await writeFile(then, before);
      expect(await verify(now, '--since', then, '--key', keys)).toMatchObject({ code: 0 });
    }
  }
});
