import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { tarGzOf } from '../content/archives.js';

type Files = Readonly<Record<string, string>>;

const root = join(import.meta.dirname, '../../..');

const lock = (cwd: string) =>
  execFileSync('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], { cwd, stdio: 'ignore' });

/**
 * A checkout with this repository's setup script and three packages: the pinned Node, a runtime dependency, and a test
 * dependency whose install script can be made to wait.
 */
export class Checkout {
  readonly #held: string;
  readonly #reached: string;

  private constructor(private readonly folder: string) {
    this.#held = join(folder, 'held');
    this.#reached = join(folder, 'reached');
  }

  static async in(folder: string): Promise<Checkout> {
    const checkout = new Checkout(folder);
    await mkdir(join(folder, 'tools'), { recursive: true });
    await cp(join(root, 'tools/set-up'), join(folder, 'tools/set-up'), { recursive: true });
    await cp(join(root, 'tools/set-up.mjs'), join(folder, 'tools/set-up.mjs'));
    const waits = `if [ -e "${checkout.#held}" ]; then touch "${checkout.#reached}"; sleep 60; fi`;
    const node = { 'node.sh': `#!/bin/sh\nexec "${process.execPath}" "$@"\n` };
    await checkout.#pack('node', node, { bin: { node: 'node.sh' } });
    await checkout.#pack('running', { 'index.js': 'for running' });
    await checkout.#pack('testing', { 'index.js': 'for tests' }, { scripts: { postinstall: waits } });
    await writeFile(
      join(folder, 'package.json'),
      JSON.stringify({
        name: 'checkout',
        private: true,
        dependencies: { node: 'file:node.tgz', running: 'file:running.tgz' },
        devDependencies: { testing: 'file:testing.tgz' },
        allowScripts: { 'file:testing.tgz': true },
      }),
    );
    lock(folder);
    await checkout.#addClients();
    return checkout;
  }

  /** Adds the folder of the stele command, with one package and an empty bundle. */
  async #addClients(): Promise<void> {
    const clients = join(this.folder, 'clients');
    for (const path of ['api/src', 'cli/src', 'cli/tools', 'cli/dist'])
      await mkdir(join(clients, path), { recursive: true });
    const bundle = JSON.stringify(join(clients, 'cli/dist/stele.cjs'));
    await writeFile(
      join(clients, 'cli/tools/build.mjs'),
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${bundle}, '');\n`,
    );
    const dependencies = { running: 'file:../running.tgz' };
    await writeFile(join(clients, 'package.json'), JSON.stringify({ name: 'clients', private: true, dependencies }));
    lock(clients);
  }

  /** Runs the setup to completion. Returns its stderr, and throws if it fails. */
  async setUp(...options: string[]): Promise<string> {
    const child = this.#start(options);
    const said = text(child.stderr);
    const [status] = await once(child, 'close');
    if (status !== 0) throw new Error(`The set-up ended with ${status}: ${await said}`);
    return said;
  }

  /** Runs the setup until the test package is unpacked, and then kills it with all its child processes. */
  async killSetUp(...options: string[]): Promise<void> {
    await writeFile(this.#held, '');
    const child = this.#start(options);
    const ended = once(child, 'close');
    while (!existsSync(this.#reached)) await Promise.race([delay(20), ended.then(() => this.#neverReached())]);
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await ended;
    await rm(this.#held);
    await rm(this.#reached);
  }

  read(path: string): Promise<string | null> {
    return readFile(join(this.folder, 'node_modules', path), 'utf8').catch(() => null);
  }

  /** Deletes a file of a package, as if unpacking had been interrupted. */
  lose = (path: string) => rm(join(this.folder, 'node_modules', path));

  lock = () => readFile(join(this.folder, 'package-lock.json'), 'utf8');

  #start(options: readonly string[]) {
    return spawn(process.execPath, ['tools/set-up.mjs', ...options], {
      cwd: this.folder,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, npm_config_offline: 'true', npm_config_cache: join(this.folder, 'cache') },
    });
  }

  #neverReached(): never {
    throw new Error('The set-up ended before the package for tests was unpacked.');
  }

  #pack(name: string, files: Files, more: object = {}): Promise<void> {
    const all = { 'package.json': JSON.stringify({ name, version: '1.0.0', ...more }), ...files };
    const members = Object.entries(all).map(([path, content]) => ({ path: `package/${path}`, content }));
    return writeFile(join(this.folder, `${name}.tgz`), tarGzOf(members));
  }
}
