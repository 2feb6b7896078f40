import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LOAD_CORE, type Server } from './contestants.ts';

const CONNECTIONS = 64;

/** The request that wrk sends, unless `script` creates it. */
export type Load = { path: string; headers?: Record<string, string>; status?: number; script?: string };

/** Runs wrk. Returns the requests per second, and the server’s CPU time per request in microseconds. */
export async function load(
  server: Server,
  { path, headers = {}, status = 200, script }: Load,
  seconds: number,
): Promise<{ perSecond: number; cpuMicros: number }> {
  const fields = Object.entries({ Host: server.host, ...headers }).flatMap(([name, value]) => [
    '-H',
    `${name}: ${value}`,
  ]);
  const before = await server.cpuSeconds();
  const { stdout } = await promisify(execFile)('taskset', [
    ...['-c', LOAD_CORE, 'wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...fields],
    ...(script ? ['-s', script] : []),
    `http://127.0.0.1:${server.port}${path}`,
  ]);
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  const wrong = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? /Socket errors: (.*)/.exec(stdout)?.[1];
  if (wrong || !requests) throw new Error(`${server.name} did not return ${status}: ${stdout}`);
  return { perSecond, cpuMicros: (((await server.cpuSeconds()) - before) * 1e6) / requests };
}
