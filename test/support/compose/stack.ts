import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const docker = async (...args: string[]) =>
  (await run('docker', args, { maxBuffer: 64 * 1024 * 1024 })).stdout.trim();

export type Container = {
  readonly id: string;
  readonly service: string;
  readonly image: string;
  readonly running: boolean;
  /** Result of the health check. `none` if the image has no health check. */
  readonly health: string;
  /** Process ID on this machine of the container's first process. */
  readonly pid: number;
  readonly restarts: number;
  readonly addresses: readonly string[];
};

type Inspected = {
  readonly Id: string;
  readonly Image: string;
  readonly RestartCount: number;
  readonly Config: { readonly Labels: Readonly<Record<string, string>> };
  readonly State: { readonly Running: boolean; readonly Pid: number; readonly Health?: { readonly Status: string } };
  readonly NetworkSettings: { readonly Networks: Readonly<Record<string, { readonly IPAddress: string }>> };
};

/**
 * A Compose project with a unique name. It uses the repository's Compose file, the settings of `.env.example`, and
 * random passwords.
 */
export class Stack {
  private constructor(
    readonly project: string,
    private readonly folder: string,
  ) {}

  /** `settings` override values of `.env.example`. */
  static async prepare(settings: Readonly<Record<string, string>> = {}): Promise<Stack> {
    const folder = await mkdtemp(join(tmpdir(), 'stele-compose-'));
    const example = await readFile('.env.example', 'utf8');
    const filled = example.replace(
      /^(\w+_PASSWORD)=$/gm,
      (_line, name) => `${name}=${randomBytes(24).toString('hex')}`,
    );
    const own = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(join(folder, '.env'), [filled, ...own].join(''));
    return new Stack(`stele-test-${randomBytes(4).toString('hex')}`, folder);
  }

  compose = (...args: string[]) =>
    docker('compose', '-p', this.project, '--env-file', join(this.folder, '.env'), ...args);

  async containers(service?: string): Promise<Container[]> {
    const ids = await docker('ps', '-aq', '--no-trunc', '--filter', `label=com.docker.compose.project=${this.project}`);
    if (ids === '') return [];
    const all = JSON.parse(await docker('inspect', ...ids.split('\n'))) as Inspected[];
    return all.map(containerOf).filter((each) => service === undefined || each.service === service);
  }

  /** Resolves when all containers are running and healthy. After `withinMs`, throws with the containers' logs. */
  async healthy(withinMs: number): Promise<void> {
    const enough = performance.now() + withinMs;
    for (;;) {
      const all = await this.containers();
      const notYet = all.filter(({ running, health }) => !running || (health !== 'none' && health !== 'healthy'));
      if (all.length > 0 && notYet.length === 0) return;
      if (performance.now() > enough) {
        const names = notYet.map(({ service, health }) => `${service} (${health})`).join(', ');
        throw new Error(`Not well in time: ${names}\n${await this.compose('logs', '--tail', '30')}`);
      }
      await delay(500);
    }
  }

  /** Returns the names of the volumes in the Compose file. An anonymous volume is listed by its ID. */
  volumes = async () =>
    (await docker('volume', 'ls', '-q')).split('\n').map((name) => name.replace(`${this.project}_`, ''));

  async remove(): Promise<void> {
    await this.compose('down', '--volumes', '--timeout', '5');
    await rm(this.folder, { recursive: true, force: true });
  }
}

const containerOf = ({ Id, Image, Config, State, RestartCount, NetworkSettings }: Inspected): Container => ({
  id: Id,
  service: Config.Labels['com.docker.compose.service'] ?? '',
  image: Image,
  running: State.Running,
  health: State.Health?.Status ?? 'none',
  pid: State.Pid,
  restarts: RestartCount,
  addresses: Object.values(NetworkSettings.Networks).map(({ IPAddress }) => IPAddress),
});
