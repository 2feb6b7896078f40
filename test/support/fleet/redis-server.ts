import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { reusablePort } from '../service/reusable-port.js';

/** A Redis on loopback that a test can stop and start. It stores nothing on disk. */
export class RedisServer {
  #child: ChildProcess | undefined;

  private constructor(readonly port: number) {}

  /** Reserves a port without starting Redis. */
  static async at(): Promise<RedisServer> {
    return new RedisServer(await reusablePort());
  }

  get url() {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const args = ['--port', `${this.port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'], cwd: '/' });
    this.#child = child;
    let said = '';
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (text: Buffer) => {
        said += text;
        if (said.includes('Ready to accept connections')) resolve();
      });
      child.once('exit', (code) => reject(new Error(`redis-server ended: ${code}`)));
    });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Makes Redis neither respond nor close connections, as if the network dropped every packet. */
  freeze = () => void this.#child?.kill('SIGSTOP');
  thaw = () => void this.#child?.kill('SIGCONT');

  async ask<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.url, { retryStrategy: null });
    try {
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }
}
