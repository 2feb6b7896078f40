import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { UsageError } from '../command-line/errors.js';

const HTTP_VARIABLES = ['http_proxy', 'HTTP_PROXY'];
/** Node uses the http proxy for https as well, unless a separate https proxy is set. */
const VARIABLES = ['https_proxy', 'HTTPS_PROXY', ...HTTP_VARIABLES];

/**
 * Whether a proxy is set that Node does not use yet. Node reads the proxy variables only at its start, and only if
 * NODE_USE_ENV_PROXY is set.
 */
export function needsRestart({ NODE_USE_ENV_PROXY, ...environment }: NodeJS.ProcessEnv): boolean {
  return !NODE_USE_ENV_PROXY && VARIABLES.some((name) => environment[name]);
}

/**
 * Throws UsageError if a proxy applies to `url`, but Node is too old to use it. Node would ignore the proxy variables
 * and connect directly.
 */
export function assertProxyIsSupported(
  url: string,
  environment: NodeJS.ProcessEnv,
  nodeVersion = process.versions.node,
): void {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  if (major >= 24 || (major === 22 && minor >= 21)) return;
  const { protocol, hostname, port } = new URL(url);
  const variable = (protocol === 'https:' ? VARIABLES : HTTP_VARIABLES).find((name) => environment[name]);
  if (!variable || isExempt(hostname, port, environment.no_proxy ?? environment.NO_PROXY ?? '')) return;
  throw new UsageError(
    `The proxy in ${variable} needs Node 22.21+ or 24+, but this is Node ${nodeVersion}. Update Node, or add ${hostname} to NO_PROXY to connect without the proxy.`,
  );
}

/** Whether NO_PROXY lists a host, one of its parent domains, or `*`. An entry can end with a port. */
const isExempt = (hostname: string, port: string, list: string): boolean =>
  list.split(/[,\s]+/).some((entry) => {
    const [, name = '', only] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (name === '' || (only && only !== port)) return false;
    return name === '*' || hostname === name || hostname.endsWith(`.${name}`);
  });

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
