// Compares the CPU time per request of this build and of another one, in turns: `npm run turns --prefix bench --
// FOLDER`, where FOLDER is a built checkout of an earlier commit. Prints the median ratio of nine rounds for each kind
// of request, and fails if a ratio is above 1.10.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, ratioOf, Targets } from '../figures.ts';
import { ANNOUNCED_PORT, inRoot } from '../product.ts';

const other = process.argv[2];
if (other === undefined)
  throw new Error('Name the folder of another built checkout: npm run turns --prefix bench -- FOLDER');

const ROUNDS = Number(process.env.STELE_BENCH_ROUNDS ?? 9);
const MOST = 1.1;
/** The unit in which the kernel counts CPU time is a hundredth of a second (proc(5), "utime"). */
const TICKS = 100;

/** Number of requests in progress at the same time. */
const CONCURRENCY = 8;

type Kind = {
  readonly name: string;
  readonly requests: number;
  /** Sends a request. `at` is different for requests that are in progress at the same time. */
  readonly send: (service: Service, at: number) => Promise<void>;
};

type Site = { readonly slug: string; readonly editToken: string };

class Service {
  readonly sites: Site[] = [];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });

  readonly pid: number;
  readonly port: number;
  readonly stop: () => Promise<void>;

  private constructor(pid: number, port: number, stop: () => Promise<void>) {
    this.pid = pid;
    this.port = port;
    this.stop = stop;
  }

  static async start(folder: string): Promise<Service> {
    const data = await mkdtemp(join(tmpdir(), 'stele-turns-'));
    const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const [, , ...words] = scripts.start.split(' ');
    const child = spawn(join(folder, 'node_modules/node/bin/node'), words, {
      cwd: folder,
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        PORT: '0',
        STELE_DATA: data,
        STELE_RATE_LIMITS: 'off',
        STELE_BUILDER: 'none',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = once(child, 'exit');
    let output = '';
    const port = await new Promise<number>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (text) => {
          output += text;
          const announced = ANNOUNCED_PORT.exec(output)?.[1];
          if (announced) resolve(Number(announced));
        });
      child.on('exit', () => reject(new Error(output)));
    });
    const service = new Service(child.pid ?? 0, port, async () => {
      service.#agent.destroy();
      child.kill('SIGTERM');
      await exited;
      await rm(data, { recursive: true, force: true });
    });
    for (let n = 0; n < CONCURRENCY; n++)
      service.sites.push(JSON.parse((await service.send('POST', '/v1/deploy', {}, PAGE)).body));
    return service;
  }

  get site(): Site {
    return this.siteAt(0);
  }

  siteAt(at: number): Site {
    const site = this.sites[at];
    if (site === undefined) throw new Error(`There is no site ${at}.`);
    return site;
  }

  send(method: string, path: string, headers: Record<string, string>, body = '', host = `localhost:${this.port}`) {
    return new Promise<{ status: number; body: string }>((resolve, reject) => {
      const type =
        body === '' ? {} : { 'content-type': 'text/html', 'content-length': String(Buffer.byteLength(body)) };
      const sent = request(
        {
          port: this.port,
          host: '127.0.0.1',
          method,
          path,
          agent: this.#agent,
          headers: { host, ...type, ...headers },
        },
        async (response) => {
          let text = '';
          for await (const chunk of response) text += chunk;
          if ((response.statusCode ?? 500) >= 500)
            reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
          else resolve({ status: response.statusCode ?? 0, body: text });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** CPU seconds of the service and of all processes that it started, including its database. */
  async cpuSeconds(): Promise<number> {
    const parents = new Map<number, { parent: number; seconds: number }>();
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => null);
      if (stat === null) continue;
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      // Includes children that have ended and were waited for, such as a database process of a closed connection.
      const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
      parents.set(Number(name), { parent: Number(fields[1]), seconds: ticks / TICKS });
    }
    const isOurs = (pid: number): boolean => pid === this.pid || (pid > 1 && isOurs(parents.get(pid)?.parent ?? 0));
    return [...parents].reduce((sum, [pid, { seconds }]) => sum + (isOurs(pid) ? seconds : 0), 0);
  }
}

const PAGE = `<!doctype html><title>A page</title><p>${'Some text. '.repeat(200)}`;

const siteHost = ({ site, port }: Service) => `${site.slug}.localhost:${port}`;
const withToken = ({ editToken }: Site) => ({ 'x-svc-edit-token': editToken });

const kinds: readonly Kind[] = [
  {
    name: 'a page of a site',
    requests: 20_000,
    send: async (it) => void (await it.send('GET', '/', {}, '', siteHost(it))),
  },
  {
    name: 'a page that is missing',
    requests: 8_000,
    send: async (it) => void (await it.send('GET', '/none', {}, '', siteHost(it))),
  },
  {
    name: 'GET /v1/sites/{slug}',
    requests: 2_000,
    send: async (it) => void (await it.send('GET', `/v1/sites/${it.site.slug}`, withToken(it.site))),
  },
  {
    name: 'GET /v1/sites/{slug}/history',
    requests: 1_500,
    send: async (it) => void (await it.send('GET', `/v1/sites/${it.site.slug}/history`, withToken(it.site))),
  },
  { name: 'POST /v1/deploy', requests: 400, send: async (it) => void (await it.send('POST', '/v1/deploy', {}, PAGE)) },
  {
    name: 'PATCH /v1/deploy',
    requests: 400,
    // Each request in progress changes a different site. If they changed the same one, the figure would depend on how
    // often they happen to collide and are repeated.
    send: async (it, at) => {
      const site = it.siteAt(at);
      await it.send('PATCH', `/v1/deploy?slug=${site.slug}`, withToken(site), `${PAGE}${Math.random()}`);
    },
  },
];

/** Returns the CPU time per request in milliseconds. */
async function measure(service: Service, { requests, send }: Kind): Promise<number> {
  const before = await service.cpuSeconds();
  let left = requests;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async (_, at) => {
      while (left-- > 0) await send(service, at);
    }),
  );
  return ((await service.cpuSeconds()) - before) * (1_000 / requests);
}

const targets = new Targets();
const ours = await Service.start(inRoot('.'));
const theirs = await Service.start(other);
const figures = new Map(kinds.map(({ name }) => [name, { ours: [] as number[], theirs: [] as number[] }]));
for (let round = 0; round <= ROUNDS; round++)
  for (const kind of kinds) {
    const both = [
      ['ours', ours],
      ['theirs', theirs],
    ] as const;
    for (const [key, service] of round % 2 === 0 ? both : both.toReversed()) {
      const figure = await measure(service, kind);
      // The first round warms up both builds.
      if (round > 0) figures.get(kind.name)?.[key].push(figure);
    }
  }
await ours.stop();
await theirs.stop();
console.log('CPU milliseconds per request (this build, the other, median of the ratios):');
for (const [name, each] of figures) {
  const ratio = ratioOf(each.ours, each.theirs);
  const verdict = targets.verdict(ratio <= MOST);
  console.log(
    `${name.padEnd(32)} ${median(each.ours).toFixed(3)}  ${median(each.theirs).toFixed(3)}  ${ratio.toFixed(2)}${verdict}`,
  );
}
process.exitCode = targets.areMet ? 0 : 1;
