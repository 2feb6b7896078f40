import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EngineUnderTest } from './container-engine.js';

/** Returns the engine at STELE_TEST_DOCKER, or starts a Docker daemon as root without a bridge or firewall rules. */
export async function dockerEngine(): Promise<EngineUnderTest> {
  const named = process.env.STELE_TEST_DOCKER;
  if (named) return { env: { DOCKER_HOST: named }, close: async () => undefined };
  const folder = await mkdtemp('/tmp/stele-docker-');
  const at = (name: string) => join(folder, name);
  const places = ['--data-root', at('data'), '--exec-root', at('exec'), '--pidfile', at('pid')];
  const apart = ['--bridge=none', '--iptables=false', '--ip-masq=false', '--ip-forward=false'];
  const daemon = spawn('dockerd', [...places, ...apart, '--host', `unix://${at('sock')}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [daemon.stdout, daemon.stderr])
    stream.on('data', (bytes) => {
      said += bytes;
    });
  const isUp = () => said.includes('API listen on');
  while (!isUp() || !(await stat(at('sock')).catch(() => null))) {
    if (daemon.exitCode !== null) throw new Error(`dockerd ended: ${said.slice(-2_000)}`);
    await delay(50);
  }
  return {
    env: { DOCKER_HOST: `unix://${at('sock')}` },
    close: async () => {
      daemon.kill();
      if (daemon.exitCode === null && daemon.signalCode === null) await once(daemon, 'close');
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}
