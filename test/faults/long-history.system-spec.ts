// needs: database

import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { canonical } from '../../src/kernel/hashing/canonical.js';
import { linkAll } from '../../src/kernel/hashing/chain.js';
import { sized } from '../support/jest/sized.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { verify } from '../support/sites/audit-verifier.js';

const EVENTS = sized(200_000, 40_000);
const MOST_GROWTH = sized(100, 40) * 1024 * 1024;

describe(`A history of ${EVENTS} events`, () => {
  let stele: Stele;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let site: { readonly slug: string; readonly editToken: string };
  let client: Client;

  beforeAll(async () => {
    temporary = await temporaryFolder('long');
    stele = await startStele({ folder: join(temporary.folder, 'data') });
    site = (await stele.api.post('/v1/deploy').type('html').send('1').expect(200)).body;
    client = await connected();
    await lengthen(EVENTS);
    await caughtUp();
    // Restarts the service with less memory. Catching up needs more memory than an export does.
    await client.end();
    await stele.stop();
    // Limits V8's young generation, which may grow to about 150 MB under load. The whole heap is smaller than the
    // history, so a process that buffered the history would run out of memory.
    const env = { NODE_OPTIONS: '--max-semi-space-size=4 --max-old-space-size=128' };
    stele = await startStele({ folder: stele.folder, env });
    client = await connected();
  }, 240_000);
  afterAll(async () => {
    await client?.end();
    await stele?.stop();
    await temporary.remove();
  });

  const connected = async () => {
    const opened = new Client({ host: join(stele.folder, 'postgres/data'), user: 'postgres', database: 'stele' });
    await opened.connect();
    return opened;
  };

  /** Writes deploys directly to the database until the history has this length, with valid hash chains. */
  async function lengthen(length: number) {
    const { rows } = await client.query(
      `select * from events where stream like 'site-%' order by revision desc limit 1`,
    );
    const last = rows[0];
    const data = JSON.parse(last.data);
    let head = { revision: last.revision as number, hash: last.hash as string | null };
    while (head.revision < length) {
      const forms = Array.from({ length: Math.min(10_000, length - head.revision) }, (_, n) => ({
        id: `evt_${String(head.revision + n + 1).padStart(26, '0')}`,
        stream: last.stream as string,
        revision: head.revision + n + 1,
        type: 'SiteDeployed',
        schema: 1,
        at: last.at as string,
        actor: '{"kind":"anonymous"}',
        data: canonical({
          ...data,
          deployId: `dep_${String(head.revision + n).padStart(26, '0')}`,
          number: head.revision + n,
          replaced: null,
        }),
      }));
      const links = linkAll((text) => hash('sha256', text), true, head, forms);
      await client.query(
        `insert into events (stream, revision, id, type, schema, at, actor, data, hash, previous_hash)
         select $1, r, i, 'SiteDeployed', 1, $2, '{"kind":"anonymous"}', d, h, p
         from unnest($3::int[], $4::text[], $5::text[], $6::text[], $7::text[]) as u (r, i, d, h, p)`,
        [
          last.stream,
          last.at,
          forms.map(({ revision }) => revision),
          forms.map(({ id }) => id),
          forms.map(({ data }) => data),
          links.map(({ hash }) => hash),
          links.map(({ previousHash }) => previousHash),
        ],
      );
      head = { revision: forms.at(-1)!.revision, hash: links.at(-1)!.hash };
    }
  }

  async function caughtUp() {
    for (;;) {
      const { rows } = await client.query('select count(*)::int as count from history');
      if (rows[0].count >= EVENTS) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  const exported = async (): Promise<IncomingMessage> => {
    const headers = { accept: 'application/x-ndjson', 'x-svc-edit-token': site.editToken };
    const [answer] = await once(
      get(`${stele.base}/v1/sites/${site.slug}/history`, { headers, agent: false }),
      'response',
    );
    expect(answer.statusCode).toBe(200);
    return answer;
  };
  const memory = async () =>
    Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${stele.child.pid}/status`, 'utf8'))![1]) * 1024;

  it('the export of a long history is complete and valid, and uses little memory', async () => {
    const path = join(temporary.folder, 'long.ndjson');
    const before = await memory();
    let most = before;
    const watching = setInterval(
      () =>
        memory().then(
          (now) => (most = Math.max(most, now)),
          () => undefined,
        ),
      50,
    );
    await pipeline(await exported(), createWriteStream(path));
    clearInterval(watching);
    expect(most - before).toBeLessThan(MOST_GROWTH);
    const { code, said } = await verify(path, '--since', path);
    expect([code, said]).toEqual([0, expect.stringContaining(`${EVENTS} events`)]);
  }, 180_000);

  it('paused exports use little memory and no database connection, and exports stop when their clients disconnect', async () => {
    const before = await memory();
    const answers = await Promise.all(Array.from({ length: 20 }, exported));
    for (const answer of answers) answer.on('error', () => undefined).pause();
    const idle = await settled();
    expect((await memory()) - before).toBeLessThan(MOST_GROWTH);
    // The waiting clients hold no database connections, so other requests are served as usual.
    await stele.api.get('/health').expect(200);
    for (const answer of answers) answer.destroy();
    expect(await settled()).toBeLessThan(idle + EVENTS);
  }, 180_000);

  /** Waits until no more event rows are read, and returns their number. */
  async function settled(): Promise<number> {
    let last = -1;
    for (;;) {
      // PostgreSQL updates its statistics at most once a second.
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      const { rows } = await client.query(
        `select idx_tup_fetch::int as read from pg_stat_user_tables where relname = 'events'`,
      );
      if (rows[0].read === last) return last;
      last = rows[0].read;
    }
  }

  it('the export contains the history as of the start of the export, and no events that are added later', async () => {
    const answer = await exported();
    let text = '';
    for await (const piece of answer) {
      if (text === '') await lengthen(EVENTS + 1_000);
      text = `${text}${piece}`.slice(-20_000);
    }
    const { checkpoint } = JSON.parse(text.trimEnd().split('\n').at(-1)!);
    expect(checkpoint.revision).toBe(EVENTS);
  }, 180_000);
});
