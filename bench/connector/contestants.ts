import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Answer, HttpClient } from './http-client.ts';
import { startRedis } from './redis-server.ts';
import { connectedSite, type RunningStele, startStele } from './stele.ts';

/**
 * Runs invocations: a page invokes, and an agent polls and sends a result. `pids` are the processes whose CPU time is
 * counted.
 */
export type Contestant = {
  invoke: (input: object) => Promise<Answer<{ output?: { youSent?: { question?: string } } }>>;
  poll: () => Promise<Answer<{ id: string; input: object }>>;
  result: (id: string, output: object) => Promise<Answer<object>>;
  pids: number[];
  stop: () => Promise<void>;
};

/** Sends the requests that a page sends through /.stele/connector.js, and those that an agent sends. */
async function trips(stele: RunningStele): Promise<Pick<Contestant, 'invoke' | 'poll' | 'result'>> {
  const { client } = stele;
  const { slug, agent } = await connectedSite(stele);
  const host = `${slug}.localhost:${stele.port}`;
  const page = { host, origin: `http://${host}` };
  return {
    invoke: (input) => client.post('/.stele/invoke', { input }, page),
    poll: () => client.get('/v1/connector/poll?wait=25', agent),
    result: (id, output) => client.post(`/v1/connector/result/${id}`, { output }, agent),
  };
}

export const contestants = {
  async stele(): Promise<Contestant> {
    const stele = await startStele();
    return { ...(await trips(stele)), pids: [stele.pid], stop: stele.stop };
  },

  /** Stele with a Redis list as its queue. */
  async list(): Promise<Contestant> {
    const redis = await startRedis();
    const stele = await startStele('bench/connector/start-with-redis-list.ts', {
      STELE_BENCH_REDIS: `${redis.port}`,
    });
    const stop = async () => {
      await stele.stop();
      await redis.stop();
    };
    return { ...(await trips(stele)), pids: [stele.pid, redis.pid], stop };
  },

  async redis(): Promise<Contestant> {
    const redis = await startRedis();
    const peer = fileURLToPath(new URL('redis-peer.ts', import.meta.url));
    const child = spawn(process.execPath, [peer, `${redis.port}`], {
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const [port] = await Promise.race([
      once(child.stdout.setEncoding('utf8'), 'data'),
      ended.then(([code]) => Promise.reject(new Error(`The peer exited (${code}).`))),
    ]);
    const client = new HttpClient(Number(port));
    return {
      invoke: (input) => client.post('/invoke', { input }),
      poll: () => client.get('/poll'),
      result: (id, output) => client.post(`/result/${id}`, { output }),
      pids: [child.pid ?? 0, redis.pid],
      async stop() {
        client.close();
        child.kill('SIGTERM');
        await ended;
        await redis.stop();
      },
    };
  },
};
