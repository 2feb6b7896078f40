import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Settings that Podman needs if both versions of control groups are mounted and the test cannot raise its limits. */
const CONFIGURATION = `[containers]
default_ulimits = ["nofile=20000:20000","nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
`;

/** A container engine, and the environment variable that makes programs use it. */
export type EngineUnderTest = { readonly env: { readonly DOCKER_HOST: string }; readonly close: () => Promise<void> };

/** Returns the engine at STELE_TEST_ENGINE (a `unix://` URL), or starts Podman as root with its own storage. */
export async function containerEngine(): Promise<EngineUnderTest> {
  const named = process.env.STELE_TEST_ENGINE;
  if (named) return { env: { DOCKER_HOST: named }, close: async () => undefined };
  // The folder is outside the test run's folder, because Podman limits the path of its runtime files to 50 characters.
  const folder = await mkdtemp('/tmp/stele-podman-');
  const at = (name: string) => join(folder, name);
  await writeFile(at('containers.conf'), CONFIGURATION);
  const storage = ['--root', at('root'), '--runroot', at('run'), '--tmpdir', at('tmp')];
  const env = { ...process.env, HOME: folder, CONTAINERS_CONF: at('containers.conf') };
  const podman = (...args: string[]) =>
    spawn('podman', [...storage, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const service = podman('system', 'service', '--time=0', `unix://${at('podman.sock')}`);
  let said = '';
  for (const stream of [service.stdout, service.stderr])
    stream.on('data', (bytes) => {
      said += bytes;
    });
  while (!(await stat(at('podman.sock')).catch(() => null))) {
    if (service.exitCode !== null) throw new Error(`podman ended: ${said}`);
    await delay(50);
  }
  return {
    env: { DOCKER_HOST: `unix://${at('podman.sock')}` },
    close: async () => {
      await once(podman('rm', '--all', '--force', '--time', '0'), 'close');
      service.kill();
      if (service.exitCode === null && service.signalCode === null) await once(service, 'close');
      for (const path of await mountsBelow(folder)) await once(spawn('umount', ['--lazy', path]), 'close');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns the mounts below a folder, innermost first. Podman leaves at least one behind, because it mounts its storage
 * folder on itself.
 */
async function mountsBelow(folder: string): Promise<readonly string[]> {
  const lines = (await readFile('/proc/self/mounts', 'utf8')).split('\n');
  const paths = lines.map((line) => line.split(' ')[1] ?? '');
  return paths.filter((path) => path.startsWith(`${folder}/`)).reverse();
}
