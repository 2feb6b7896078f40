import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export type Ran = { readonly code: number | string | null; readonly out: string; readonly err: string };

export function operator(command: string, args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [`dist/bundled/${command}.command.js`, ...args], {
    env: { ...process.env, NODE_OPTIONS: '', EVENTSTORE_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ran = (async (): Promise<Ran> => {
    const [out, err, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { code: code ?? signal, out, err };
  })();
  return { child, ran };
}
