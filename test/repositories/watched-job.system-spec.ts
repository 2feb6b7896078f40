// needs: database, git, chromium, curl

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/browser/chromium.js';
import { databaseUrl } from '../support/database/database-url.js';
import { freshDatabase } from '../support/database/test-database.js';
import { CuttingProxy } from '../support/faults/cutting-proxy.js';
import type { Heard } from '../support/service/event-stream-client.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { WebSocketClient } from '../support/service/web-socket-client.js';
import { GitHost } from '../support/sites/git-host.js';
import { jobOver, jobWhen } from '../support/sites/jobs.js';

const LINES = 10_000;

/** Number of cuts for each of the six watchers. */
const CUTS = 17;

/** A long path, which makes the log so long that no watcher reaches its end before the planned number of cuts. */
const FOLDER = `${'left-out-'.repeat(20)}/${'left-out-'.repeat(10)}`;
const links = Array.from({ length: LINES }, (_, n) => `${FOLDER}/${String(n).padStart(5, '0')}`);

const NAMES = ['job.queued', 'job.started', 'job.step', 'job.log', 'job.succeeded', 'job.failed', 'reset', 'problem'];

/** An HTML page that follows a job with one EventSource for each address, and records the events. */
const page = (addresses: readonly string[]) => `<!doctype html><title>Watching</title><script>
const heard = ${JSON.stringify(addresses)}.map((address) => {
  const all = [], source = new EventSource(address);
  for (const name of ${JSON.stringify([...NAMES, 'end'])}) source.addEventListener(name, ({ type, data, lastEventId }) =>
    all.push({ id: type === 'end' ? null : Number(lastEventId), event: type, data: JSON.parse(data) }));
  source.onerror = () => { all.isOver = source.readyState === EventSource.CLOSED; };
  return all;
});
</script>`;

/** Follows a job's log from the last ID seen, until the log ends or the connection is cut. */
type Connect = (port: number, jobId: string, after: number) => Promise<readonly Heard[]>;

const terminal: Connect = async (port, jobId, after) => {
  const url = `http://127.0.0.1:${port}/v1/jobs/${jobId}/events`;
  const resumed = after > 0 ? ['-H', `Last-Event-ID: ${after}`] : [];
  const curl = spawn('curl', ['-sN', '-w', '\n\n%{http_code}', ...resumed, url], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  curl.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  await once(curl, 'close');
  const blocks = text.split('\n\n');
  if (blocks.pop() === '204') return [{ id: null, event: 'end', data: {} }];
  // Ignores the last block if the connection was cut in the middle of it.
  return blocks.flatMap((block): Heard[] => {
    const [, id, event, data] = /^id: (\d+)\nevent: (.+)\ndata: (.+)$/.exec(block) ?? [];
    if (block === 'event: end\ndata: {}') return [{ id: null, event: 'end', data: {} }];
    const told = data === undefined ? null : whole(data);
    return told ? [{ id: Number(id), event: event ?? '', data: told }] : [];
  });
};

function whole(json: string) {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

const socket: Connect = async (port, jobId, after) => {
  const opened = new WebSocketClient(`http://127.0.0.1:${port}/v1/live`);
  opened.say({ op: 'subscribe', stream: `job:${jobId}`, after });
  const isOver = ({ event }: Heard) => event === 'end' || event === 'problem';
  await Promise.race([opened.until(isOver), opened.closed]);
  opened.cut();
  return opened.messages.map(({ id = null, event, data }) => ({ id, event, data }));
};

/** Follows a log until the end event. Reconnects after each cut with the last ID seen. */
async function followed(connect: Connect, { port }: CuttingProxy, jobId: string): Promise<readonly Heard[]> {
  const all: Heard[] = [];
  for (;;) {
    const heard = await connect(port, jobId, all.at(-1)?.id ?? 0);
    all.push(...heard.filter(({ event }) => event !== 'end'));
    if (heard.some(({ event }) => event === 'end')) return all;
  }
}

/** Kills a process when the event stream of its job has the first log lines of the step `publish`. */
async function killWhenPublishing(url: string, pid: number) {
  const isPublishing = '/^event: / { isLog = $2 == "job.log" } isLog && /^data: .*"step":"publish"/ { exit }';
  const killer = spawn('sh', ['-c', `curl -sN '${url}' | awk '${isPublishing}'; kill -KILL ${pid}`], {
    stdio: 'ignore',
  });
  await once(killer, 'exit');
}

describe('A job that logs 10,000 lines, started on one process', () => {
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let browser: Browser;
  /** The running processes. A test that kills a process replaces it here. */
  let processes: Promise<Stele>[];
  let ofSites: Record<string, string> = {};
  const proxies: CuttingProxy[] = [];
  const { promise: isWatched, resolve: letCopy } = Promise.withResolvers<void>();

  const start = (port: number) =>
    startStele({
      folder: temporary.folder,
      env: {
        DATABASE_URL: databaseUrl(database.config),
        PORT: String(port),
        STELE_REPO_HOSTS: host.listed,
        STELE_JOB_LEASE_SECONDS: '8',
        STELE_RATE_LIMITS: 'on',
        ...ofSites,
      },
    });

  beforeAll(async () => {
    host = await GitHost.open(async ({ method }) => {
      if (method === 'POST') await isWatched;
      return false;
    });
    host.commit('links', { 'index.html': 'x', ...Object.fromEntries(links.map((path) => [path, { link: '/etc' }])) });
    temporary = await temporaryFolder('watched-job');
    database = await freshDatabase();
    browser = await openBrowser();
    const one = await start(0);
    ofSites = { STELE_SITE_DOMAIN: `localhost:${one.port}` };
    processes = [Promise.resolve(one), Promise.resolve(await start(0))];
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    await Promise.all(proxies.map((each) => each.close()));
    await Promise.all((processes ?? []).map(async (each) => (await each).stop()));
    await host?.close();
    await database?.drop();
    await temporary?.remove();
  });

  /** Opens a proxy to one of the processes. Each proxy cuts its connections independently. */
  async function cutWayTo(n: number) {
    const made = await CuttingProxy.open(async () => (await processes[n]!).port, CUTS);
    proxies.push(made);
    return made;
  }

  async function recordedOf(jobId: string, stele: Stele) {
    const items: Heard[] = [];
    for (;;) {
      const asked = stele.api.get(`/v1/jobs/${jobId}/events?limit=20&after=${items.length}`);
      const { body } = await asked.accept('application/json').expect(200);
      items.push(...body.items);
      if (body.ended) return items;
    }
  }

  async function workerOf(jobId: string): Promise<number> {
    await jobWhen(await processes[0]!, jobId, ({ steps }) => steps.length > 0);
    for (;;) {
      for (const n of [0, 1]) if ((await (await processes[n]!).gitsBelow()).length > 0) return n;
    }
  }

  it('a page, a WebSocket and a terminal show the same log after a hundred lost connections and a server crash', async () => {
    const [one, two] = (await Promise.all(processes)) as [Stele, Stele];
    const { body: started } = await one.api
      .post('/v1/repo/deploy')
      .send({ url: host.url('links') })
      .expect(200);
    const { jobId } = started;
    const worker = await workerOf(jobId);
    await jobWhen(two, jobId, ({ status }) => status === 'running');

    const ways = await Promise.all([0, 1].map(cutWayTo));
    const html = page(ways.map(({ port }) => `http://localhost:${port}/v1/jobs/${jobId}/events`));
    const { body: site } = await one.api.post('/v1/deploy').type('html').send(html).expect(200);
    const tab: Page = await browser.newPage();
    const answers: number[] = [];
    tab.on('response', (answer) => answer.url().endsWith('/events') && answers.push(answer.status()));
    await tab.goto(site.url);
    await tab.waitForFunction('heard.every(({ length }) => length > 0)', undefined, { timeout: 60_000 });
    const others = Promise.all(
      [socket, terminal].flatMap((connect) => [0, 1].map(async (n) => followed(connect, await cutWayTo(n), jobId))),
    );

    // Kills the process in the middle of the log, which takes about a second. A separate program does this, because
    // this process is busy with its watchers.
    const survivor = (await processes[1 - worker]!).base;
    const killed = await processes[worker]!;
    const killing = killWhenPublishing(`${survivor}/v1/jobs/${jobId}/events`, killed.child.pid ?? 0);
    letCopy();
    await killing;
    const gone = killed.stop('SIGKILL');
    processes[worker] = gone.then(() => start(killed.port));
    expect(await gone).toBe('SIGKILL');

    const heard = [...(await others)];
    await tab.waitForFunction('heard.every(({ isOver }) => isOver)', undefined, { timeout: 60_000 });
    const inPage = (await tab.evaluate('heard')) as Heard[][];
    heard.push(...inPage.map((all) => all.filter(({ event }) => event !== 'end')));
    // Browsers reconnect only after a 200. After any other status, they give up.
    expect(new Set(answers)).toEqual(new Set([200, 204]));
    expect(inPage.map((all) => all.filter(({ event }) => event === 'end').length)).toEqual([1, 1]);

    const restarted = await processes[worker]!;
    expect(await jobOver(restarted, jobId)).toMatchObject({ status: 'succeeded' });
    const recorded = await recordedOf(jobId, restarted);
    expect(recorded.map(({ id }) => id)).toEqual(recorded.map((_, n) => n + 1));
    for (const all of heard) {
      expect(all.map(({ id }) => id)).toEqual(recorded.map(({ id }) => id));
      // A comparison of the whole arrays would print megabytes.
      expect(all.find((each, n) => JSON.stringify(each) !== JSON.stringify(recorded[n]))).toBeUndefined();
    }
    expect(heard).toHaveLength(6);
    expect(proxies.map(({ cuts }) => cuts)).toEqual(proxies.map(() => CUTS));

    // The second attempt logs everything again, after the entries of the killed process. The IDs continue.
    const again = recorded.findIndex(({ event, data }) => event === 'job.queued' && data.again === 'worker_lost');
    expect(again).toBeGreaterThan(0);
    const lines = (events: readonly Heard[]) =>
      events.flatMap(({ event, data }): { n: number; text: string }[] => (event === 'job.log' ? data.lines : []));
    const told = (events: readonly Heard[]) =>
      lines(events).flatMap(({ text }) => /^Skipped (\S+): it is a symbolic link$/.exec(text)?.[1] ?? []);
    expect(lines(recorded).map(({ n }) => n)).toEqual(lines(recorded).map((_, n) => n + 1));
    const first = told(recorded.slice(0, again));
    expect(first.length).toBeGreaterThan(0);
    expect(first).toEqual(links.slice(0, first.length));
    expect(first.length).toBeLessThan(LINES);
    expect(told(recorded.slice(again))).toEqual(links);

    // A rerun counts as a redeploy of the site.
    const rerun = restarted.api.post(`/v1/sites/${started.slug}/rerun`).set('x-svc-edit-token', started.editToken);
    expect((await rerun.expect(200)).headers.ratelimit).toMatch(/^"redeploys";r=59;/);
  }, 300_000);
});
