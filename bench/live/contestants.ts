import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mainFile, pg, startOptions } from '../product.ts';
import { freePort } from '../serve/free-port.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const NCHAN = process.env.STELE_BENCH_NCHAN ?? '/usr/lib/nginx/modules/ngx_nchan_module.so';

type Started = { readonly pid: number; readonly end: () => Promise<void> };
export type Contestant = Started & {
  readonly port: number;
  readonly path: string;
  readonly headers?: string;
  /** Subscribers count events by a byte. This is how often that byte occurs in each event. Defaults to 1. */
  readonly marks?: number;
  readonly publish: (text: string) => Promise<unknown>;
};

/** Starts a contestant on one core, in its own process group. Resolves when its output says that it is ready. */
async function onOneCore(
  command: readonly string[],
  { env, ready }: { env?: NodeJS.ProcessEnv; ready?: RegExp },
): Promise<Started> {
  const child = spawn('taskset', ['-c', '0', ...command], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  await new Promise<void>((resolve, reject) => {
    const onOutput = (chunk: Buffer) => {
      text += chunk;
      if (ready?.test(text)) resolve();
    };
    child.stdout.on('data', onOutput);
    child.stderr.on('data', onOutput);
    child.on('exit', (code) => reject(new Error(`${command[0]} exited (${code}):\n${text}`)));
    if (!ready) setTimeout(resolve, 500);
  });
  return {
    pid: child.pid ?? 0,
    async end() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

const post = async (url: string, type: string, body: string): Promise<void> => {
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
  await answer.text();
  if (!answer.ok) throw new Error(`${url} returned ${answer.status}`);
};

/**
 * Contestants. Each is started for one round. `publish` sends one text of 200 bytes, and resolves when the text was
 * accepted.
 */
export const contestants = {
  async stele(): Promise<Contestant> {
    const folder = await mkdtemp(join(tmpdir(), 'stele-live-'));
    const port = await freePort();
    const server = await onOneCore([process.execPath, ...startOptions, mainFile], {
      env: { NODE_ENV: 'production', PORT: String(port), STELE_DATA: folder },
      ready: /Ctrl-C/,
    });
    const runId = `run_${String(Date.now()).padStart(26, '0')}`;
    return {
      ...server,
      port,
      path: `/v1/cli/runs/${runId}/events`,
      publish: (text: string) =>
        post(
          `http://127.0.0.1:${port}/v1/cli/event`,
          'application/json',
          JSON.stringify({ runId, kind: 'run.log', data: { text } }),
        ),
      async end() {
        await server.end();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },

  /**
   * The product's access log of one busy site. Entries are written one at a time, like those of a process that serves
   * the site.
   */
  async log(): Promise<Contestant> {
    const folder = await mkdtemp(join(tmpdir(), 'stele-live-'));
    const port = await freePort();
    const server = await onOneCore([process.execPath, ...startOptions, mainFile], {
      env: { NODE_ENV: 'production', PORT: String(port), STELE_DATA: folder },
      ready: /Ctrl-C/,
    });
    const made = await fetch(`http://127.0.0.1:${port}/v1/deploy`, {
      method: 'POST',
      headers: { 'content-type': 'text/html' },
      body: '<h1>Busy</h1>',
    });
    const { slug, editToken }: { slug: string; editToken: string } = JSON.parse(await made.text());
    const headers = { 'x-svc-edit-token': editToken };
    const site = await fetch(`http://127.0.0.1:${port}/v1/sites/${slug}`, { headers });
    const { id }: { id: string } = JSON.parse(await site.text());
    const db = new pg.Pool({ host: join(folder, 'postgres/data'), user: 'postgres', database: 'stele', max: 2 });
    return {
      ...server,
      port,
      path: `/v1/sites/${slug}/logs?kind=access`,
      headers: `x-svc-edit-token: ${editToken}\r\n`,
      // Each entry contains the path in two fields, so the counted byte and the time occur twice.
      marks: 2,
      publish: (text: string) =>
        db.query(`begin; select pg_advisory_xact_lock(hashtextextended('stele site log', 0));
          insert into access_entries (site_id, at, hits, method, path, status, bytes, ms, client, is_page, counted)
          values ('${id}', now(), 1, 'GET', '/${text.slice(0, 17)}', 200, 1234, 1.5, 'person', true, false);
          notify stele_site_log; commit`),
      async end() {
        await db.end();
        await server.end();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },

  async nchan(): Promise<Contestant> {
    const folder = await mkdtemp(join(tmpdir(), 'nchan-'));
    const port = await freePort();
    await writeFile(
      join(folder, 'nginx.conf'),
      `load_module ${NCHAN};
daemon off; user root; worker_processes 1; worker_rlimit_nofile 20000; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 16384; }
http {
  access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
  server {
    listen 127.0.0.1:${port} backlog=8192;
    location = /pub { nchan_publisher; nchan_channel_id live; nchan_message_buffer_length 2000; nchan_message_timeout 1h; }
    location = /sub { nchan_subscriber eventsource; nchan_channel_id live; nchan_subscriber_first_message newest; }
  }
}`,
    );
    const server = await onOneCore(['nginx', '-p', folder, '-c', join(folder, 'nginx.conf')], {});
    return {
      ...server,
      port,
      path: '/sub',
      publish: (text: string) => post(`http://127.0.0.1:${port}/pub`, 'text/plain', text),
      async end() {
        await server.end();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },

  async sse(): Promise<Contestant> {
    const port = await freePort();
    const server = await onOneCore([process.execPath, at('nest-sse.ts')], {
      env: { NODE_ENV: 'production', PORT: String(port) },
      ready: /ready/,
    });
    return {
      ...server,
      port,
      path: '/sub',
      publish: (text: string) => post(`http://127.0.0.1:${port}/pub`, 'application/json', JSON.stringify({ text })),
    };
  },
};
