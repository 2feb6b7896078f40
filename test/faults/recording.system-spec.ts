// needs: database

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { databaseUrl } from '../support/database/database-url.js';
import { ownPostgres } from '../support/database/test-database.js';
import { type Member, memberOf } from '../support/fleet/fleet-member.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { recordedRequests } from '../support/sites/recorded-requests.js';

type Made = { readonly id: string; readonly slug: string };

async function make({ api }: Pick<Stele, 'api'>): Promise<Made> {
  const files = [{ path: 'index.html', content: 'hello' }];
  const { body } = await api.post('/v1/deploy').send({ files }).expect(200);
  const { body: site } = await api.get(`/v1/sites/${body.slug}`).expect(200);
  const named = { name: 'analytics', enabled: true };
  await api.post(`/v1/sites/${body.slug}/capabilities`).set('x-svc-edit-token', body.editToken).send(named).expect(200);
  return { id: site.id, slug: body.slug };
}

/** Requests each path once, a few concurrently, and returns the statuses. */
async function visitAll(port: number, host: string, paths: Iterable<string>): Promise<Set<number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const statuses = new Set<number>();
  const one = (path: string) =>
    new Promise<void>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', path, headers: { host }, agent }, (answer) => {
        statuses.add(answer.statusCode ?? 0);
        answer.resume().on('end', resolve);
      });
      sent.on('error', reject).end();
    });
  await Promise.all([...paths].map(one));
  agent.destroy();
  return statuses;
}

const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `/${prefix}-${n}`);

describe('Recording requests during database failures', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let postgres: Awaited<ReturnType<typeof ownPostgres>>;
  let stele: Stele;
  let site: Made;
  beforeAll(async () => {
    [temporary, postgres] = await Promise.all([temporaryFolder('recording-away'), ownPostgres()]);
    stele = await startStele({ folder: temporary.folder, env: { DATABASE_URL: databaseUrl(postgres.config) } });
  }, 120_000);
  afterAll(async () => {
    await stele?.stop();
    await postgres?.stop();
    await temporary?.remove();
  }, 60_000);
  beforeEach(async () => {
    site = await make(stele);
    await visitAll(stele.port, `${site.slug}.localhost:${stele.port}`, ['/']);
    await recordedRequests(from(), site.id, 1);
  });

  const from = () => ({ database: postgres.config });
  const visit = (paths: string[]) => visitAll(stele.port, `${site.slug}.localhost:${stele.port}`, paths);

  /** Checks that every request has exactly one entry. */
  const expectAll = async (count: number) => {
    const rows = await recordedRequests(from(), site.id, count + 1);
    expect(rows.map(({ hits }) => hits)).toEqual(Array<number>(count + 1).fill(1));
    expect(new Set(rows.map(({ path }) => path)).size).toBe(count + 1);
  };

  it.each<[string, (meanwhile: () => Promise<unknown>) => Promise<void>]>([
    ['is unreachable', (meanwhile) => postgres.away(meanwhile)],
    ['hangs', (meanwhile) => postgres.hang(meanwhile)],
    [
      'crashes',
      async (meanwhile) => {
        await Promise.all([postgres.crash(), meanwhile()]);
      },
    ],
  ])(
    'visitors are served while the database %s, and every request is recorded exactly once',
    async (_, without) => {
      const steady = visit(numbered('before', 50));
      await without(async () => {
        await steady;
        expect(await visit(numbered('meanwhile', 150))).toEqual(new Set([404]));
        await delay(2_500);
      });
      expect(await visit(numbered('after', 50))).toEqual(new Set([404]));
      await expectAll(250);
    },
    120_000,
  );
});

describe('Recording requests on two processes', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let postgres: Awaited<ReturnType<typeof ownPostgres>>;
  let members: Member[];
  beforeAll(async () => {
    [temporary, postgres] = await Promise.all([temporaryFolder('recording-two'), ownPostgres()]);
    const env = {
      DATABASE_URL: databaseUrl(postgres.config),
      STELE_DATA: temporary.folder,
      STELE_SECRET_KEY: randomBytes(32).toString('base64'),
      STELE_BASE_URL: 'http://localhost:3000',
      STELE_SITE_DOMAIN: 'localhost:3000',
    };
    members = await Promise.all(['api,worker,projector', 'serve', 'serve'].map((roles) => memberOf(roles, env)));
    await Promise.all(members.map((member) => member.start()));
  }, 120_000);
  afterAll(async () => {
    for (const member of members ?? []) await member.stop();
    await postgres?.stop();
    await temporary?.remove();
  }, 60_000);

  it('a killed process loses only records that it has not yet stored, and no request is counted twice', async () => {
    const [api, one, other] = members as [Member, Member, Member];
    const send = async (method: string, path: string, body: object | null, headers: Record<string, string> = {}) => {
      const answer = await fetch(`http://127.0.0.1:${api.port}${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(answer.status).toBe(200);
      return (await answer.json()) as Made;
    };
    const { slug } = await send('POST', '/v1/deploy', { files: [{ path: 'index.html', content: 'hello' }] });
    const { id } = await send('GET', `/v1/sites/${slug}`, null);
    const visit = (member: Member, paths: string[]) => visitAll(member.port, `${slug}.localhost:3000`, paths);
    const from = { database: postgres.config };

    await Promise.all([visit(one, numbered('one-early', 40)), visit(other, numbered('other-early', 40))]);
    await recordedRequests(from, id, 80);
    await Promise.all([visit(one, numbered('one-late', 40)), visit(other, numbered('other-late', 40))]);
    await one.kill();
    await visit(other, numbered('other-after', 40));
    const of = (name: string, rows: readonly { readonly path: string }[]) =>
      rows.filter(({ path }) => path.startsWith(`/${name}`)).length;
    let rows = await recordedRequests(from, id, 160);
    while (of('other', rows) < 120) rows = await recordedRequests(from, id, rows.length + 1);
    expect(new Set(rows.map(({ path }) => path)).size).toBe(rows.length);
    expect(of('one-early', rows)).toBe(40);
    await one.start();
    await visit(one, numbered('one-again', 40));
    rows = await recordedRequests(from, id, rows.length + 40);
    expect(new Set(rows.map(({ path }) => path)).size).toBe(rows.length);
  }, 120_000);
});

describe('Recording a flood of requests', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  beforeEach(async () => {
    temporary = await temporaryFolder('recording-flood');
    stele = await startStele({ folder: temporary.folder });
  }, 60_000);
  afterEach(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const resident = async () =>
    Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${stele.child.pid}/status`, 'utf8'))?.[1]) * 1_024;

  it('a flood of unique paths and headers uses little memory, and each request is recorded or counted as dropped', async () => {
    const site = await make(stele);
    const quiet = await make(stele);
    const host = (slug: string) => `${slug}.localhost:${stele.port}`;
    let answered = 0;
    let isOver = false;
    const head = () => {
      const path = `/${Math.random()}${'y'.repeat(4_000)}`;
      return `GET ${path} HTTP/1.1\r\nhost: ${host(site.slug)}\r\nuser-agent: Mozilla/5.0 ${Math.random()}\r\nx-much: ${'x'.repeat(11_000)}\r\n\r\n`;
    };
    const flood = Array.from({ length: 32 }, async () => {
      const socket = connect(stele.port, '127.0.0.1');
      socket.on('data', () => {
        answered++;
        if (isOver) socket.destroy();
        else socket.write(head());
      });
      socket.write(head());
      await new Promise((resolve) => socket.once('close', resolve));
    });
    await delay(1_000);
    const before = await resident();
    let most = before;
    for (let times = 0; times < 50; times++) {
      await delay(100);
      most = Math.max(most, await resident());
      if (times % 10 === 0) await visitAll(stele.port, host(quiet.slug), [`/quiet-${times}`]);
    }
    isOver = true;
    await Promise.all(flood);
    expect(most - before).toBeLessThan(256 * 1_048_576);

    // Despite the flood, all visits to another site are recorded.
    expect((await recordedRequests(stele, quiet.id, 5)).length).toBe(5);
    const counted = async () => {
      const [row] = await stele.query(
        `select (select coalesce(sum(hits), 0) from access_entries where site_id = '${site.id}')::int
              + (select coalesce(sum(hits), 0) from access_dropped where site_id = '${site.id}')::int as n`,
      );
      return Number(row?.n);
    };
    for (let seen = -1, now = await counted(); seen !== now || now < answered; now = await counted()) {
      seen = now;
      await delay(1_200);
    }
    expect(await counted()).toBe(answered);
    expect(await stele.stop()).toBe(0);
  }, 120_000);
});
