import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { ANNOUNCED_PORT, mainFile, pinnedNode, startOptions } from '../product.ts';
import { files } from './files.ts';
import { freePort } from './free-port.ts';

/** CPU core of the measured server. The load generator runs on another core. */
export const SERVER_CORE = '1';
export const LOAD_CORE = '0';

const BROTLI_MODULE = '/usr/lib/nginx/modules/ngx_http_brotli_static_module.so';

/** Writes the files into a folder for servers that serve from disk, with brotli versions where useful. */
export async function folderOfFiles(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const [name, bytes] of Object.entries(files)) {
    await writeFile(join(folder, name), bytes);
    if (name.endsWith('.js')) await writeFile(join(folder, `${name}.br`), brotliCompressSync(bytes));
  }
  return folder;
}

/** The port and the Host header of requests to the contestant. */
export type Target = { readonly port: number; readonly host: string };
export type Server = Target & {
  readonly name: string;
  readonly pid: number;
  readonly cpuSeconds: () => Promise<number>;
  readonly stop: () => Promise<void>;
};
export type SteleServer = Server & { readonly deploy: (slug: string, body: string) => Promise<void> };
export type RunOptions = { env?: NodeJS.ProcessEnv; printed?: RegExp; port?: number; core?: string };
type Response = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/**
 * Starts a program on its own core. The program is ready when it has printed its port or responds on the given port.
 */
export async function run(
  name: string,
  command: readonly string[],
  { env = {}, printed, port, core = SERVER_CORE }: RunOptions = {},
): Promise<Server> {
  const child = spawn('taskset', ['-c', core, ...command], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let output = '';
  const found = await new Promise<number>((resolve, reject) => {
    const onOutput = (text: Buffer) => {
      output += text;
      const announced = printed?.exec(output)?.[1];
      if (announced) resolve(Number(announced));
    };
    child.stdout.on('data', onOutput);
    child.stderr.on('data', onOutput);
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`${name} exited: ${output}`)));
    if (port !== undefined) answers(port).then(() => resolve(port), reject);
  });
  return {
    name,
    port: found,
    host: `127.0.0.1:${found}`,
    pid: child.pid ?? 0,
    cpuSeconds: () => cpuSeconds(child.pid ?? 0),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Resolves as soon as a server responds on the port. */
async function answers(port: number): Promise<Response> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      return await get({ port, host: `127.0.0.1:${port}` }, '/');
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
  throw new Error(`Nothing is responding on port ${port}.`);
}

/** Returns the user and system time of a process and its descendants (proc(5): fields 14 and 15 of stat). */
async function cpuSeconds(pid: number | string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return 0;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  let seconds = (Number(fields[11]) + Number(fields[12])) / 100;
  for (const task of await readdir(`/proc/${pid}/task`).catch(() => [])) {
    const below = await readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '');
    for (const child of below.split(' ').filter(Boolean)) seconds += await cpuSeconds(child);
  }
  return seconds;
}

/** Sends one request and resolves with the complete response. */
export function get(
  { port, host }: Target,
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', body = null }: { method?: string; body?: string | null } = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, host: '127.0.0.1', path, method, headers: { host, ...headers } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
      answer.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Starts the product, with its database unless `env` names another. The files are one site at its own host. */
export async function stele(folder: string, name = 'stele', env: NodeJS.ProcessEnv = {}): Promise<SteleServer> {
  const server = await run(name, [pinnedNode, ...startOptions, mainFile], {
    env: { PORT: '0', STELE_DATA: join(folder, name), ...env },
    printed: ANNOUNCED_PORT,
  });
  const service = { ...server, host: `localhost:${server.port}` };
  const body = JSON.stringify({
    files: Object.entries(files).map(([path, bytes]) => ({
      path,
      content: bytes.toString('base64'),
      encoding: 'base64',
    })),
  });
  await deploy(service, 'bench', body);
  return { ...server, host: `bench.localhost:${server.port}`, deploy: (slug, body) => deploy(service, slug, body) };
}

async function deploy(service: Target, slug: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await get(service, `/v1/deploy?slug=${slug}`, headers, { method: 'POST', body });
  if (answer.status !== 200) throw new Error(`${slug}: ${answer.status} ${answer.body}`);
}

export async function nginx(folder: string, www: string): Promise<Server> {
  await access(BROTLI_MODULE);
  const port = await freePort();
  const place = join(folder, 'nginx');
  await mkdir(place);
  const conf = join(place, 'nginx.conf');
  await writeFile(
    conf,
    `load_module ${BROTLI_MODULE};
    worker_processes 1; daemon off; pid ${place}/pid; error_log ${place}/error.log; ${process.getuid?.() === 0 ? 'user root;' : ''}
    events { worker_connections 4096; }
    http {
      types { text/html html; text/javascript js; image/png png; }
      access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; etag on;
      open_file_cache max=200000 inactive=60s; open_file_cache_valid 60s;
      keepalive_timeout 65s; keepalive_requests 1000000000;
      client_body_temp_path ${place}/body; proxy_temp_path ${place}/proxy; fastcgi_temp_path ${place}/fastcgi;
      uwsgi_temp_path ${place}/uwsgi; scgi_temp_path ${place}/scgi;
      server {
        listen 127.0.0.1:${port}; root ${www}; brotli_static on;
        add_header cache-control "public, max-age=0, must-revalidate"; add_header x-content-type-options nosniff;
      }
    }`,
  );
  return run('nginx', ['nginx', '-c', conf, '-p', place, '-e', `${place}/error.log`], { port });
}

export async function caddy(folder: string, www: string): Promise<Server> {
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
      root * ${www}
      header cache-control "public, max-age=0, must-revalidate"
      header x-content-type-options nosniff
      file_server {
        precompressed br
      }
    }
    `,
  );
  const env = { GOMAXPROCS: '1', HOME: place, XDG_DATA_HOME: place, XDG_CONFIG_HOME: place };
  return run('caddy', ['caddy', 'run', '--config', conf, '--adapter', 'caddyfile'], { env, port });
}

export const npm = (name: string, www: string): Promise<Server> =>
  run(name, [pinnedNode, fileURLToPath(new URL('peers.ts', import.meta.url)), name, www], { printed: /^(\d+)$/m });
