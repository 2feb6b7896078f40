import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { World } from './world.js';

const WATCHES_MS = 10_000;

export async function watchByEvents(world: World): Promise<void> {
  const { slug, owner } = world.site();
  const headers = { ...owner, host: `localhost:${world.port}`, accept: 'text/event-stream' };
  const path = `/v1/sites/${slug}/events`;
  const asked = request({ host: '127.0.0.1', port: world.port, path, headers, agent: false });
  asked.end();
  const [answer] = await once(asked, 'response');
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode}`);
  answer.resume();
  await pause(WATCHES_MS);
  asked.destroy();
}

export async function watchBySocket(world: World): Promise<void> {
  const { owner } = world.site();
  const socket = new WebSocket(`ws://127.0.0.1:${world.port}/v1/live`, {
    headers: { ...owner, host: `localhost:${world.port}` },
  });
  await once(socket, 'open');
  const mine = world.sites.filter((site) => site.owner === owner).slice(0, 2);
  for (const { slug } of mine) socket.send(JSON.stringify({ op: 'subscribe', stream: `site:${slug}` }));
  await pause(WATCHES_MS);
  socket.close();
  await once(socket, 'close');
}
