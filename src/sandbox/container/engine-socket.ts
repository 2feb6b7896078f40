import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { alreadyGone, ignoreFault } from '../../kernel/faults/ignored-fault.js';

export type ContainerEngine = {
  readonly docker: Docker;
  /**
   * Podman expects the path of a seccomp profile, and Docker its content. Podman also supports fewer options than
   * Docker.
   */
  readonly isPodman: boolean;
  /** True if the engine has only the rights of the user who started it. */
  readonly isRootless: boolean;
};

const ANSWER_MS = 5_000;
const UNIX = 'unix://';

/**
 * Finds the first engine that responds: the one at DOCKER_HOST or, if that is not set, one at the usual sockets.
 * Throws if DOCKER_HOST is on another machine, because local folders have to be mounted.
 */
export async function findEngine(env: NodeJS.ProcessEnv): Promise<ContainerEngine | null> {
  // Import `dockerode` only when needed. It is slow to load, because it also loads another client.
  const { default: Client } = await import('dockerode');
  for (const socketPath of sockets(env)) {
    if (!(await lstat(socketPath).catch(alreadyGone))) continue;
    const found = await described(new Client({ socketPath, timeout: ANSWER_MS })).catch(ignoreFault);
    if (found) return { docker: new Client({ socketPath }), ...found };
  }
  return null;
}

function sockets({ DOCKER_HOST, XDG_RUNTIME_DIR }: NodeJS.ProcessEnv): readonly string[] {
  if (DOCKER_HOST?.startsWith(UNIX)) return [DOCKER_HOST.slice(UNIX.length)];
  if (DOCKER_HOST)
    throw new Error('DOCKER_HOST must be a unix:// address, because builds need a container engine on this machine.');
  const own = XDG_RUNTIME_DIR
    ? [join(XDG_RUNTIME_DIR, 'podman/podman.sock'), join(XDG_RUNTIME_DIR, 'docker.sock')]
    : [];
  return ['/var/run/docker.sock', '/run/podman/podman.sock', ...own];
}

async function described(docker: Docker): Promise<Omit<ContainerEngine, 'docker'>> {
  const { Components = [] } = await docker.version();
  const { SecurityOptions = [] } = await docker.info();
  return {
    isPodman: Components.some(({ Name }) => Name === 'Podman Engine'),
    isRootless: SecurityOptions.some((option: string) => option.includes('name=rootless')),
  };
}
