import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { copyFreshCluster } from '../database/test-database.js';
import { testStore } from '../eventstore/test-store.js';
import { reusablePort } from './reusable-port.js';

/**
 * Starts the built service, with a port that may differ from that of its public address (`STELE_BASE_URL` in `env`).
 * Rejects with its output if it exits.
 */
export async function startBehindProxy(folder: string, env: Record<string, string>) {
  const port = await reusablePort();
  if (!env.DATABASE_URL) await copyFreshCluster(join(folder, 'postgres'));
  const store = await testStore({ STELE_DATA: folder, ...env });
  const child = spawn(process.execPath, ['dist/bundled/start.js'], {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      EVENTSTORE_URL: '',
      // Disables the builder, whose self-test copies Node. Tests that build override this in `env`.
      STELE_BUILDER: 'none',
      STELE_STATUS_PROBES: 'off',
      STELE_DISK_RESERVE: '0',
      PORT: String(port),
      STELE_DATA: folder,
      ...env,
      ...store,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let text = '';
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      text += chunk;
      if (text.includes('Ctrl-C')) resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', reject);
    child.on('exit', (code, signal) => reject(new Error(`Stele ended (${code ?? signal}):\n${text}`)));
  });
  return {
    port,
    printed: () => text,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exited;
    },
  };
}
