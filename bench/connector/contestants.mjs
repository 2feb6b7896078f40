import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { HttpClient } from './http-client.mjs';
import { startRedis } from './redis-server.mjs';
import { connectedSite, startStele } from './stele.mjs';

/** Each answers `invoke(input)`, `poll()` and `result(id, output)` as `{ status, body }`. */
export const contestants = {
  async stele(options) {
    const stele = await startStele(options);
    const { client } = stele;
    const { slug, agent } = await connectedSite(stele);
    // As /.stele/connector.js asks, on a page of the site.
    const host = `${slug}.localhost:${stele.port}`;
    const page = { host, origin: `http://${host}` };
    return {
      invoke: (input) => client.post('/.stele/invoke', { input }, page),
      poll: () => client.get('/v1/connector/poll?wait=25', agent),
      result: (id, output) => client.post(`/v1/connector/result/${id}`, { output }, agent),
      pids: [stele.pid],
      stop: stele.stop,
    };
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
      ended.then(([code]) => Promise.reject(new Error(`The peer ended (${code}).`))),
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
