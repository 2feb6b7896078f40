import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { alreadyGone, doneWithout } from '../../kernel/faults/ignored-fault.js';

/** An engine that answers. */
export type ContainerEngine = {
  readonly docker: Docker;
  /** Podman takes the file of a filter, where Docker takes its text, and knows fewer options. */
  readonly isPodman: boolean;
  /** It has no more rights than the user who started it. */
  readonly isRootless: boolean;
};

const ANSWER_MS = 5_000;
const UNIX = 'unix://';

/**
 * The first engine that answers: the one that DOCKER_HOST names, or one where Docker and Podman usually listen. Null
 * where none does. Throws where DOCKER_HOST is not on this machine: a build’s folders are bound in from here.
 */
export async function findEngine(env: NodeJS.ProcessEnv): Promise<ContainerEngine | null> {
  // Loaded only where it is used: it brings another client along that takes long to load.
  const { default: Client } = await import('dockerode');
  for (const socketPath of sockets(env)) {
    if (!(await lstat(socketPath).catch(alreadyGone))) continue;
    const found = await described(new Client({ socketPath, timeout: ANSWER_MS })).catch(doneWithout);
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
