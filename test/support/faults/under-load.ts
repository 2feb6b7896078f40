import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serverOf } from '../database/test-database.js';
import { MailServer } from '../people/mail-server.js';
import { operator, type Ran } from '../service/operator-command.js';
import { reusablePort } from '../service/reusable-port.js';
import { type Stele, startStele, temporaryFolder } from '../service/stele.js';
import { GitHost } from '../sites/git-host.js';
import { SteadyClients } from './steady-clients.js';

/** A process with embedded PostgreSQL on a fixed port, to which clients send requests continuously. */
export class UnderLoad {
  readonly clients: SteadyClients;
  #stele: Stele | undefined;

  private constructor(
    private readonly temporary: Awaited<ReturnType<typeof temporaryFolder>>,
    private readonly git: GitHost,
    private readonly mails: MailServer,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    this.clients = new SteadyClients(Number(env.PORT), { git, mails });
  }

  /**
   * Starts the service and the clients. Resolves once each kind of request has succeeded. The clients then continue.
   */
  static async begin(more: Readonly<Record<string, string>> = {}): Promise<UnderLoad> {
    const [temporary, git, mails, port] = await Promise.all([
      temporaryFolder('under-load'),
      GitHost.open(),
      MailServer.open(),
      reusablePort(),
    ]);
    const env = {
      PORT: `${port}`,
      SMTP_URL: mails.url,
      STELE_REPO_HOSTS: git.listed,
      STELE_RATE_LIMITS: 'on',
      ...more,
    };
    const underLoad = new UnderLoad(temporary, git, mails, env);
    await underLoad.start();
    const { clients } = underLoad;
    await clients.begin();
    while (!clients.answers.has('job over: 200') && clients.wrong.length === 0) await delay(50);
    return underLoad;
  }

  get stele(): Stele {
    if (!this.#stele) throw new Error('It has not been started.');
    return this.#stele;
  }

  async start(): Promise<void> {
    this.#stele = await startStele({ folder: this.temporary.folder, env: { ...this.env } });
  }

  postgres = () => serverOf(join(this.temporary.folder, 'postgres'));

  verified = (): Promise<Ran> =>
    operator('projections', ['verify'], {
      STELE_DATA: this.temporary.folder,
      EVENTSTORE_URL: this.stele.eventStoreUrl,
    }).ran;

  async close(): Promise<void> {
    await this.clients.stop();
    await this.#stele?.stop();
    await this.mails.down();
    await this.git.close();
    await this.temporary.remove();
  }
}
