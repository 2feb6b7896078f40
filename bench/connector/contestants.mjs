import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { HttpClient } from './http-client.mjs';
import { startRedis } from './redis-server.mjs';
import { connectedSite, startStele } from './stele.mjs';

/** As /.stele/connector.js asks on a page of a site, and as an agent of it does. */
async function trips(stele) {
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

/** Each answers `invoke(input)`, `poll()` and `result(id, output)` as `{ status, body }`. */
export const contestants = {
  async stele(options) {
    const stele = await startStele(options);
    return { ...(await trips(stele)), pids: [stele.pid], stop: stele.stop };
  },

  /** Stele, whose work goes by a Redis list. */
  async list(options) {
    const redis = await startRedis();
    const stele = await startStele(options, 'bench/connector/start-with-redis-list.mjs', {
      STELE_BENCH_REDIS: `${redis.port}`,
    });
    const stop = async () => {
      await stele.stop();
      await redis.stop();
    };
    return { ...(await trips(stele)), pids: [stele.pid, redis.pid], stop };
  },

  async redis() {
    const redis = await startRedis();
    const peer = fileURLToPath(new URL('redis-peer.mjs', import.meta.url));
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
      pids: [child.pid, redis.pid],
      async stop() {
        client.close();
        child.kill('SIGTERM');
        await ended;
        await redis.stop();
      },
    };
  },
};
