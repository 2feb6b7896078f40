import { once } from 'node:events';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { copyFreshCluster } from '../../database/test-database.js';
import { DnsServer } from '../../dns/dns-server.js';
import { type ModelServer, manner, startModelServer } from '../../model/model-server.js';
import { goodPage } from '../../model/pages.js';
import { RealProvider } from '../../people/real-provider.js';
import { newestMail, signIn } from '../../people/sign-in.js';
import { TokenIssuer } from '../../people/token-issuer.js';
import { operator } from '../../service/operator-command.js';
import { reusablePort } from '../../service/reusable-port.js';
import { type Stele, startStele, temporaryFolder } from '../../service/stele.js';
import { GitHost } from '../../sites/git-host.js';
import { FaultPoints } from './fault-points.js';

export const OPERATOR = { authorization: 'Bearer an-operator-of-this-test' };

export type Headers = Readonly<Record<string, string>>;

/** A service whose steps can be made to fail, and the servers that the service contacts. */
export class World {
  #stele: Stele | undefined;
  #marks = 0;
  #heard = 0;
  starts = 0;
  /** Time of the service's last start, in RFC 3339 format. */
  startedAt = '';

  private constructor(
    readonly points: FaultPoints,
    readonly host: GitHost,
    readonly dns: DnsServer,
    readonly issuer: TokenIssuer,
    readonly model: ModelServer,
    readonly provider: RealProvider,
    private readonly folder: string,
    private readonly port: number,
    private readonly removeFolder: () => Promise<void>,
  ) {}

  static async open(): Promise<World> {
    const { folder, remove } = await temporaryFolder('points');
    const [points, host, dns, issuer, model, provider, port] = await Promise.all([
      FaultPoints.make(),
      // Never responds to requests for the repository `slow`, so they wait until the client gives up.
      GitHost.open(({ url }) => url?.startsWith('/slow.git') ?? false),
      DnsServer.start(),
      TokenIssuer.open(),
      startModelServer(),
      RealProvider.open({}),
      reusablePort(),
    ]);
    provider.serve(`http://localhost:${port}`);
    model.answer(manner.says(goodPage()));
    host.commit('plain', { 'index.html': '<h1>Of a repository</h1>' });
    await copyFreshCluster(join(folder, 'postgres'));
    const world = new World(points, host, dns, issuer, model, provider, folder, port, remove);
    await world.start();
    return world;
  }

  get stele(): Stele {
    if (!this.#stele) throw new Error('The service is not running.');
    return this.#stele;
  }

  get api() {
    return this.stele.api;
  }

  async start(): Promise<void> {
    this.starts++;
    this.startedAt = new Date().toISOString();
    this.#stele = await startStele({
      folder: this.folder,
      command: this.points.command,
      env: {
        ...this.points.env,
        PORT: String(this.port),
        STELE_ADMIN_TOKEN: OPERATOR.authorization.slice('Bearer '.length),
        STELE_REPO_HOSTS: `${this.host.listed},${this.issuer.listed}`,
        STELE_DNS_SERVERS: this.dns.address,
        STELE_JOBS_PER_USER: '1000',
        ...this.provider.env,
        LLM_BASE_URL: this.model.baseUrl,
        LLM_API_KEY: 'key-of-the-endpoint-1234567890',
        LLM_MODEL: 'a-model',
        STELE_GENERATE_PER_DAY_IN_ALL: '1000000',
      },
    });
  }

  async restart(): Promise<void> {
    await this.stele.stop();
    await this.start();
  }

  get isGone() {
    const { exitCode, signalCode } = this.stele.child;
    return exitCode !== null || signalCode !== null;
  }

  async gone(): Promise<void> {
    if (!this.isGone) await once(this.stele.child, 'exit');
  }

  mark = () => `m${String(++this.#marks).padStart(5, '0')}`;

  person = async (mark: string): Promise<Headers> => (await signIn(this.stele, `${mark}@example.org`)).bearer;

  mailTo = (email: string) => newestMail(this.stele, email);

  /** Waits until the repository host receives another request for this path. */
  async isAsked(path: string): Promise<void> {
    const heard = this.#heard;
    for (;;) {
      this.#heard = this.host.requests.filter((request) => request.includes(path)).length;
      if (this.#heard > heard) return;
      await delay(20);
    }
  }

  /** Waits until the condition is met. Throws if the service exits, or after this many seconds. */
  async until(isSo: () => Promise<boolean>, seconds = 30): Promise<void> {
    for (const end = Date.now() + seconds * 1_000; ; ) {
      if (this.isGone) throw new Error('The service has ended.');
      if (await isSo()) return;
      if (Date.now() > end) throw new Error(`It did not come so far in ${seconds} s.`);
      await delay(20);
    }
  }

  async site(mark: string, by: Headers = {}): Promise<{ slug: string; deployId: string; editToken: string }> {
    const { body } = await this.api
      .post(`/v1/deploy?slug=site-${mark}`)
      .set(by)
      .send({ files: [{ path: 'index.html', content: `<h1>first of ${mark}</h1>` }] })
      .expect(200);
    return body;
  }

  /** Returns what is wrong with the service's data at the end: read models that differ from the log, and leftovers. */
  async faultsOfWhole(): Promise<string[]> {
    await this.copiesAreOld();
    await this.restart();
    await this.until(async () => (await this.stele.query('select from job_queue')).length === 0);
    const { code, out } = await operator('projections', ['verify'], { STELE_DATA: this.folder }).ran;
    const left = await Promise.all(['spool', 'copies'].map((name) => readdir(join(this.folder, name)).catch(() => [])));
    return [...(code === 0 ? [] : [out]), ...left.flat()];
  }

  /** Backdates copies of repositories, because a starting process removes only those older than an hour. */
  private async copiesAreOld(): Promise<void> {
    const folder = join(this.folder, 'copies');
    const before = new Date(Date.now() - 2 * 3_600_000);
    for (const name of await readdir(folder)) await utimes(join(folder, name), before, before);
  }

  async close(): Promise<void> {
    if (this.#stele && !this.isGone) await this.#stele.stop();
    this.issuer.close();
    await Promise.all([
      this.host.close(),
      this.dns.close(),
      this.model.stop(),
      this.provider.close(),
      this.points.remove(),
    ]);
    await this.removeFolder();
  }
}
