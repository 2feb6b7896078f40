import type Docker from 'dockerode';
import { type ServerToRun, UnrunnableServerError } from '../../kernel/ports/outside/server-runner.js';
import { type ContainerSettings, SANDBOX_LABEL } from '../container/container-options.js';
import { dockerProfile } from '../seccomp/docker-profile.js';
import type { PortSource } from './listening-ports.js';
import { buildProxyEnvironment, PLACES, PORT } from './places.js';
import type { ServerSandbox } from './server-sandbox.js';
import type { StoredImage } from './stored-images.js';

/** Label of an image. The value `socket` means that the server listens on the socket at the path in PORT. */
const LISTENS = 'stele.listen';

const OPEN_FILES = 4_096;
const PROCESSES_OF_USER = 32_768;
const MAX_FOLDERS = 16;
/** Limits of the helper container, which runs only a small Node script. */
const BESIDE_BYTES = 134_217_728;
const BESIDE_PROCESSES = 32;
const MAX_INODES = 65_536;

type Mounts = NonNullable<Docker.HostConfig['Mounts']>;

const bind = (Source: string, Target: string, isWritten = false): Mounts[number] => ({
  Type: 'bind',
  Source,
  Target,
  ReadOnly: !isWritten,
});
const limit = (Name: string, most: number) => ({ Name, Soft: most, Hard: most });

export const listensToSocket = ({ labels }: StoredImage) => labels[LISTENS] === 'socket';

export const readImagePort = ({ port }: StoredImage) => port ?? PORT;

/** Returns the port to connect to, or null if the server listens on the socket itself. */
export function triedPort(image: StoredImage): { readonly number: string; readonly source: PortSource } | null {
  if (listensToSocket(image)) return null;
  return { number: readImagePort(image), source: image.port === null ? 'default' : 'exposed' };
}

/**
 * Lets a non-root server in its own network use any port, because stock web server images listen on port 80. Engines
 * reject this setting for a container that joins another container’s network.
 */
const ANY_PORT = { Sysctls: { 'net.ipv4.ip_unprivileged_port_start': '0' } };

/** Options of all containers: no capabilities, isolated IPC, and a read-only root file system. */
const closed = ({ isPodman, processor, profile }: ContainerSettings) => ({
  IpcMode: 'private',
  ReadonlyRootfs: true,
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges', `seccomp=${isPodman ? profile : JSON.stringify(dockerProfile(processor))}`],
  LogConfig: { Type: 'none', Config: {} },
  Ulimits: [limit('core', 0), limit('nofile', OPEN_FILES), ...(isPodman ? [limit('nproc', PROCESSES_OF_USER)] : [])],
});

/**
 * Returns options of the helper container, which starts first and creates the isolated network that the server joins.
 * The helper has access to the sockets, which the server cannot see.
 */
export function besideOptions(
  settings: ContainerSettings,
  sandbox: ServerSandbox,
  { node, beside }: { readonly node: string; readonly beside: string },
  image: StoredImage,
): Docker.ContainerCreateOptions {
  const { uid, gid } = sandbox.owner ?? settings.ourselves;
  return {
    Image: settings.image,
    Labels: { [SANDBOX_LABEL]: sandbox.name },
    Entrypoint: [PLACES.node, '--max-old-space-size=32', '--max-semi-space-size=1', `${PLACES.inside}/beside.mjs`],
    Cmd: [listensToSocket(image) ? 'none' : readImagePort(image)],
    User: `${uid}:${gid}`,
    WorkingDir: '/',
    StopTimeout: 0,
    HostConfig: {
      ...closed(settings),
      ...ANY_PORT,
      NetworkMode: 'none',
      Memory: BESIDE_BYTES,
      MemorySwap: BESIDE_BYTES,
      PidsLimit: BESIDE_PROCESSES,
      Mounts: [
        bind(node, PLACES.node),
        bind(beside, `${PLACES.inside}/beside.mjs`),
        ...(listensToSocket(image) ? [] : [bind(sandbox.sockets, PLACES.sockets, true)]),
        ...(sandbox.proxy === null ? [] : [bind(sandbox.proxy, PLACES.proxy)]),
      ],
    },
  };
}

/** Returns options of the server’s container. `network` is the ID of the container whose network it joins, or null. */
export function buildServerOptions(
  settings: ContainerSettings,
  sandbox: ServerSandbox,
  image: StoredImage,
  server: ServerToRun,
  network: string | null,
): Docker.ContainerCreateOptions {
  const { limits, env, hosts } = server;
  if (image.writableFolders.length > MAX_FOLDERS)
    throw new UnrunnableServerError(
      `The server needs more than ${MAX_FOLDERS} writable folders, including the volumes of its image.`,
    );
  // Podman cannot limit inodes, but the metadata of inodes counts towards the memory limit.
  const inodes = settings.isPodman ? '' : `,nr_inodes=${MAX_INODES}`;
  const user = userOf(settings, sandbox, image);
  const written = `rw,nosuid,nodev,size=${limits.diskBytes}${inodes}${ownedBy(user, settings.isPodman)}`;
  // Without these mounts, an engine would create folders on this machine for the image’s volumes.
  const folders = ['/tmp', '/var/tmp', '/run', ...image.writableFolders].filter((path) => path !== PLACES.sockets);
  const all = {
    HOME: '/tmp',
    ...env,
    ...buildProxyEnvironment(hosts),
    PORT: listensToSocket(image) ? PLACES.socket : readImagePort(image),
  };
  return {
    Image: image.name,
    Labels: { [SANDBOX_LABEL]: sandbox.name },
    Env: Object.entries(all).map(([name, value]) => `${name}=${value}`),
    User: user,
    AttachStdout: true,
    AttachStderr: true,
    StopTimeout: 0,
    HostConfig: {
      ...closed(settings),
      ...(network === null && ANY_PORT),
      NetworkMode: network === null ? 'none' : `container:${network}`,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      PidsLimit: limits.processes,
      NanoCpus: Math.ceil(limits.cpus * 1e9),
      Tmpfs: Object.fromEntries(folders.map((path) => [path, written])),
      Mounts: listensToSocket(image) ? [bind(sandbox.sockets, PLACES.sockets, true)] : [],
    },
  };
}

/**
 * Returns the mount option that makes the server’s user the owner of a mount. Without it, root owns the mount and runc
 * gives it the mode of the image’s folder, so the server usually could not write to it. Docker accepts only a numeric
 * user ID; for a user name, returns an empty string.
 */
function ownedBy(user: string, isPodman: boolean): string {
  if (isPodman) return ',U';
  const [id = ''] = user.split(':');
  return /^\d+$/.test(id) ? `,uid=${id}` : '';
}

/**
 * Returns the user that the image names. If that is root or missing, returns an unused user ID with root’s group, so
 * that the server can read that group’s files. A rootless engine has no unused user ID.
 */
function userOf({ ourselves }: ContainerSettings, sandbox: ServerSandbox, { user }: StoredImage): string {
  const isRoot = user === null || /^(root|0+)(:|$)/.test(user);
  if (!isRoot) return user;
  return sandbox.owner === null ? `${ourselves.uid}:${ourselves.gid}` : `${sandbox.owner.uid}:0`;
}
