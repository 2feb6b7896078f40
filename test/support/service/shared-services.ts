import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StandIn } from '../eventstore/kurrent/stand-in.js';
import { withOwnStreams } from '../eventstore/own-streams.js';
import { SHARED_ENVIRONMENT } from '../fleet/shared-fleet.js';
import { nodeOptions } from './node-options.js';
import type { SharedService } from './shared-service.js';

/** Starts one service for each Jest worker at its first use, in a folder below `folder`. */
export class SharedServices {
  readonly #children: ChildProcess[] = [];
  readonly #standIns: StandIn[] = [];
  readonly #services = new Map<string, Promise<SharedService>>();

  constructor(
    private readonly folder: string,
    /** Copies the data of an unused PostgreSQL cluster to a path that must not exist yet. */
    private readonly putCluster: (path: string) => Promise<void>,
  ) {
    // Kills the services on exit, because an interrupted test run skips its teardown.
    process.once('exit', () => this.#signal('SIGKILL'));
  }

  ofWorker(worker: string): Promise<SharedService> {
    const service = this.#services.get(worker) ?? this.#start(worker);
    this.#services.set(worker, service);
    return service;
  }

  /** Stops all services. Rejects if one of them does not exit cleanly. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#services.values());
    const exits = this.#children.map(async (child) => {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      return child.exitCode ?? child.signalCode;
    });
    this.#signal('SIGTERM');
    const wrong = (await Promise.all(exits)).filter((code) => code !== 0);
    for (const standIn of this.#standIns) standIn.stop();
    if (wrong.length > 0) throw new Error(`A service that test files share ended with ${wrong.join(', ')}.`);
  }

  /**
   * Returns the URL of a new event store if STELE_TEST_STORE=esdb, and an empty string otherwise. Services that tests
   * start themselves get their URL from `testStore`.
   */
  async #ownStore(): Promise<string> {
    if (process.env.STELE_TEST_STORE !== 'esdb') return '';
    const real = process.env.EVENTSTORE_URL;
    if (real) return withOwnStreams(real);
    const { StandIn } = await import('../eventstore/kurrent/stand-in.js');
    const standIn = await StandIn.start();
    this.#standIns.push(standIn);
    return standIn.url;
  }

  #signal(signal: NodeJS.Signals) {
    for (const child of this.#children) if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  }

  async #start(worker: string): Promise<SharedService> {
    const folder = join(this.folder, `service-${worker}`);
    const printedTo = `${folder}.log`;
    writeFileSync(printedTo, '');
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o711);
    await this.putCluster(join(folder, 'postgres'));
    const eventStoreUrl = await this.#ownStore();
    const child = spawn(process.execPath, [...nodeOptions, 'dist/bundled/start.js'], {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        EVENTSTORE_URL: eventStoreUrl,
        STELE_BUILDER: 'none',
        STELE_STATUS_PROBES: 'off',
        STELE_DISK_RESERVE: '0',
        PORT: '0',
        STELE_DATA: folder,
        ...SHARED_ENVIRONMENT,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.push(child);
    let text = '';
    let isReady = false;
    const port = await new Promise<number>((resolve, reject) => {
      const hear = (chunk: Buffer) => {
        appendFileSync(printedTo, chunk);
        if (isReady) return;
        text += chunk;
        const found = /Service\s+http:\/\/[^\s:]+:(\d+)[\s\S]*Ctrl-C/.exec(text)?.[1];
        isReady = found !== undefined;
        if (isReady) resolve(Number(found));
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.once('error', reject);
      child.once('exit', (code, signal) => reject(new Error(`Stele ended (${code ?? signal}):\n${text}`)));
    });
    return { port, pid: child.pid ?? 0, folder, printedTo, eventStoreUrl };
  }
}
