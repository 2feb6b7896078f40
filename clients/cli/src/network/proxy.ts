import { spawn } from 'node:child_process';
import { once } from 'node:events';

const VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy'];

/**
 * Whether a proxy is set that Node does not use yet. Node reads the proxy variables only at its start, and only if
 * NODE_USE_ENV_PROXY is set.
 */
export function needsRestart({ NODE_USE_ENV_PROXY, ...environment }: NodeJS.ProcessEnv): boolean {
  return !NODE_USE_ENV_PROXY && VARIABLES.some((name) => environment[name]);
}

export async function restartWithProxy(): Promise<number> {
  // The terminal sends Ctrl-C to both processes. This process must outlive the child to return its exit code.
  process.on('SIGINT', () => undefined);
  const child = spawn(
    process.execPath,
    [...process.execArgv, '--disable-warning=ExperimentalWarning', ...process.argv.slice(1)],
    { stdio: 'inherit', env: { ...process.env, NODE_USE_ENV_PROXY: '1' } },
  );
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code, signal] = await once(child, 'exit');
  return code ?? (signal ? 130 : 1);
}
