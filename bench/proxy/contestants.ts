import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { ANNOUNCED_PORT, inRoot, pinnedNode, startOptions } from '../product.ts';
import { get, LOAD_CORE, type RunOptions, run, type Server } from '../serve/contestants.ts';
import { freePort } from '../serve/free-port.ts';

const withPrograms = inRoot('test/support/servers/start-with-servers.ts');

/** The server to which all proxies forward requests. */
export type Program = Server & { readonly socketPath: string };

/** Starts nginx with one worker. `http` is its configuration. */
async function nginx(folder: string, name: string, http: string, options: RunOptions): Promise<Server> {
  const place = join(folder, name);
  await mkdir(place);
  const conf = join(place, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${place}/${of};`);
  await writeFile(
    conf,
    `worker_processes 1; daemon off; pid ${place}/pid; error_log ${place}/error.log; ${process.getuid?.() === 0 ? 'user root;' : ''}
    events { worker_connections 4096; }
    http {
      access_log off; tcp_nodelay on; keepalive_timeout 65s; keepalive_requests 1000000000;
      ${temporary.join(' ')}
      ${http}
    }`,
  );
  return run(name, ['nginx', '-c', conf, '-p', place, '-e', `${place}/error.log`], options);
}

/**
 * Starts the server behind all proxies: nginx on a Unix socket. It shares a core with the load generator, which slows
 * the fastest proxy the least. Without `sendfile`, nginx writes a small response in one call, like servers that
 * generate content. Its port is used only to check that it runs.
 */
export async function program(folder: string, www: string): Promise<Program> {
  const port = await freePort();
  const socketPath = join(folder, 'program.sock');
  const server = await nginx(
    folder,
    'program',
    `open_file_cache max=100; server { listen unix:${socketPath}; listen 127.0.0.1:${port}; root ${www}; }`,
    { port, core: LOAD_CORE },
  );
  return { ...server, socketPath };
}

export async function nginxProxy(folder: string, { socketPath }: Program): Promise<Server> {
  const port = await freePort();
  return nginx(
    folder,
    'nginx',
    `upstream program { server unix:${socketPath}; keepalive 128; keepalive_requests 1000000000; }
     server {
       listen 127.0.0.1:${port};
       location / {
         proxy_pass http://program; proxy_http_version 1.1; proxy_set_header Connection "";
         proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr;
         proxy_set_header X-Forwarded-Proto $scheme; proxy_set_header X-Request-Id $request_id;
         add_header x-content-type-options nosniff; add_header x-request-id $request_id;
       }
     }`,
    { port },
  );
}

export async function caddyProxy(folder: string, { socketPath }: Program): Promise<Server> {
  const port = await freePort();
  const place = join(folder, 'caddy');
  await mkdir(place);
  const conf = join(place, 'Caddyfile');
  await writeFile(
    conf,
    `{
      admin off
      auto_https off
    }
    http://127.0.0.1:${port} {
      header x-content-type-options nosniff
      reverse_proxy unix/${socketPath} {
        transport http {
          keepalive_idle_conns_per_host 128
        }
      }
    }
    `,
  );
  const env = { GOMAXPROCS: '1', HOME: place, XDG_DATA_HOME: place, XDG_CONFIG_HOME: place };
  return run('caddy', ['caddy', 'run', '--config', conf, '--adapter', 'caddyfile'], { env, port });
}

/** Starts the product with its database. The live deploy of each site is a server on its socket. */
export async function stele(folder: string, sockets: Record<string, string>): Promise<Server> {
  const control = join(folder, 'control.sock');
  const server = await run('stele', [pinnedNode, ...startOptions, withPrograms], {
    env: { PORT: '0', STELE_DATA: join(folder, 'stele'), STELE_TEST_PROGRAMS: control, STELE_STATUS_PROBES: 'off' },
    printed: ANNOUNCED_PORT,
  });
  const service = { ...server, host: `localhost:${server.port}` };
  for (const [slug, socketPath] of Object.entries(sockets)) {
    const files = [{ path: 'index.html', content: 'before' }];
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ files });
    await get(service, `/v1/deploy?slug=${slug}`, headers, { method: 'POST', body });
    const { id }: { id: string } = JSON.parse((await get(service, `/v1/sites/${slug}`)).body.toString());
    const digest = Buffer.from(slug.padEnd(32, '0')).toString('hex');
    await tell(control, { siteId: id, digest, place: { socketPath }, isLive: true });
  }
  return { ...server, host: `program.localhost:${server.port}` };
}

const tell = (socketPath: string, body: object) =>
  new Promise((resolve, reject) => {
    request({ socketPath, method: 'POST', path: '/' }, (answer) => json(answer).then(resolve, reject))
      .on('error', reject)
      .end(JSON.stringify(body));
  });
