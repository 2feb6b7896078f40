import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../serve/free-port.ts';

/** Time limit for the first response to PING. */
const STARTS_WITHIN_MS = 10_000;

/** Starts Debian's redis-server on loopback, without persistence. Resolves when it responds to PING. */
export async function startRedis(): Promise<{ port: number; pid: number; stop: () => Promise<void> }> {
  const port = await freePort();
  const words = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', words, { stdio: 'ignore', cwd: '/' });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const redis = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => 50 });
  redis.on('error', () => undefined);
  const deadline = pause(STARTS_WITHIN_MS, 'late', { ref: false });
  const said = await Promise.race([redis.ping(), deadline, ended.then(() => 'ended')]).finally(() =>
    redis.disconnect(),
  );
  if (said !== 'PONG') {
    await stop();
    throw new Error(`redis-server did not respond to PING (${said}).`);
  }
  return { port, pid: child.pid ?? 0, stop };
}
