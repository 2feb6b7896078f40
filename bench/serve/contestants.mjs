import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { built, startOptions } from '../append/product.mjs';
import { files } from './files.mjs';
import { freePort } from './free-port.mjs';

/** The core of the server that is measured; the load comes from another. */
export const SERVER_CORE = '1';
export const LOAD_CORE = '0';

const node = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));
const BROTLI_MODULE = '/usr/lib/nginx/modules/ngx_http_brotli_static_module.so';

/** Writes the files into a folder, with brotli of those that are worth it, for servers that serve from disk. */
export async function folderOfFiles(folder) {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const [name, bytes] of Object.entries(files)) {
    await writeFile(join(folder, name), bytes);
    if (name.endsWith('.js')) await writeFile(join(folder, `${name}.br`), brotliCompressSync(bytes));
  }
  return folder;
}

/** Starts a program on a core of its own; it is there when it has printed its port, or answers on the one given. */
export async function run(name, [file, ...args], { env = {}, printed = null, port = null, core = SERVER_CORE } = {}) {
  const child = spawn('taskset', ['-c', core, file, ...args], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let output = '';
  const found = await new Promise((resolve, reject) => {
    const onOutput = (text) => {
      output += text;
      const announced = printed?.exec(output)?.[1];
      if (announced) resolve(Number(announced));
    };
    child.stdout.on('data', onOutput);
    child.stderr.on('data', onOutput);
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`${name} exited: ${output}`)));
    if (port !== null) answers(port).then(() => resolve(port), reject);
  });
  return {
    name,
    port: found,
    host: `127.0.0.1:${found}`,
    pid: child.pid,
    cpuSeconds: () => cpuSeconds(child.pid),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Resolves as soon as a server answers there. */
async function answers(port) {
  for (let tries = 0; tries < 200; tries++) {
    try {
      return await get({ port, host: `127.0.0.1:${port}` }, '/');
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
  throw new Error(`Nothing is responding on port ${port}.`);
}

/**
 * User and system time of a process and its descendants: fields 14 and 15 of proc(5)’s stat, in hundredths of a second.
 */
async function cpuSeconds(pid) {
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

/** Sends one request; resolves with the complete response. */
export function get({ port, host }, path, headers = {}, { method = 'GET', body = null } = {}) {
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, host: '127.0.0.1', path, method, headers: { host, ...headers } }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
      answer.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** The whole product, with its database unless `env` names another; the files are one site, requested at its own host. */
export async function stele(folder, name = 'stele', env = {}) {
  const server = await run(name, [node, ...startOptions, fileURLToPath(new URL('main.js', built))], {
    env: { PORT: '0', STELE_DATA: join(folder, name), ...env },
    printed: /Service\s+http:\/\/[^\s:]+:(\d+)[\s\S]*Ctrl-C/,
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

async function deploy(service, slug, body) {
  const headers = { 'content-type': 'application/json' };
  const answer = await get(service, `/v1/deploy?slug=${slug}`, headers, { method: 'POST', body });
  if (answer.status !== 200) throw new Error(`${slug}: ${answer.status} ${answer.body}`);
}

export async function nginx(folder, www) {
  await access(BROTLI_MODULE);
  const port = await freePort();
  const place = join(folder, 'nginx');
  await mkdir(place);
  const conf = join(place, 'nginx.conf');
  await writeFile(
    conf,
    `load_module ${BROTLI_MODULE};
    worker_processes 1; daemon off; pid ${place}/pid; error_log ${place}/error.log; ${process.getuid() === 0 ? 'user root;' : ''}
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

export async function caddy(folder, www) {
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

export const npm = (name, www) =>
  run(name, [node, fileURLToPath(new URL('peers.mjs', import.meta.url)), name, www], { printed: /^(\d+)$/m });
