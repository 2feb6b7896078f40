import type Docker from 'dockerode';
import { ProgramFault, type ProgramToRun } from '../../kernel/ports/outside/programs.js';
import { type ContainerSettings, ROOM_LABEL } from '../container/container-options.js';
import { dockerProfile } from '../seccomp/docker-profile.js';
import { PLACES, PORT, wayOut } from './places.js';
import type { ProgramRoom } from './program-room.js';
import type { StoredImage } from './stored-images.js';

/** An image says by this label, with the value `socket`, that it listens to the socket whose path it finds at PORT. */
const LISTENS = 'stele.listen';

const OPEN_FILES = 4_096;
const PROCESSES_OF_USER = 32_768;
const MOST_VOLUMES = 16;
/** Of the one that stands beside: a Node that does next to nothing. */
const BESIDE_BYTES = 134_217_728;
const BESIDE_PROCESSES = 32;
const MOST_INODES = 65_536;

type Mounts = NonNullable<Docker.HostConfig['Mounts']>;

const bind = (Source: string, Target: string, isWritten = false): Mounts[number] => ({
  Type: 'bind',
  Source,
  Target,
  ReadOnly: !isWritten,
});
const limit = (Name: string, most: number) => ({ Name, Soft: most, Hard: most });

/** Whether the program listens to a socket by itself: then nothing stands between it and us. */
export const listensToSocket = ({ labels }: StoredImage) => labels[LISTENS] === 'socket';

/** Where the program listens: at the port that its image exposes, else at the one that it is given. */
export const portOf = ({ port }: StoredImage) => port ?? PORT;

/** What all containers have in common: no rights, no network of the machine, nothing to write to but memory. */
const closed = ({ isPodman, processor, profile }: ContainerSettings) => ({
  IpcMode: 'private',
  ReadonlyRootfs: true,
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges', `seccomp=${isPodman ? profile : JSON.stringify(dockerProfile(processor))}`],
  LogConfig: { Type: 'none', Config: {} },
  Ulimits: [limit('core', 0), limit('nofile', OPEN_FILES), ...(isPodman ? [limit('nproc', PROCESSES_OF_USER)] : [])],
});

/**
 * What stands beside the program, before it is started: it has the network that the program joins, which leads nowhere,
 * and the sockets, which the program does not see.
 */
export function besideOptions(
  settings: ContainerSettings,
  room: ProgramRoom,
  { node, beside }: { readonly node: string; readonly beside: string },
  image: StoredImage,
): Docker.ContainerCreateOptions {
  const { uid, gid } = room.owner ?? settings.ourselves;
  return {
    Image: settings.image,
    Labels: { [ROOM_LABEL]: room.name },
    Entrypoint: [PLACES.node, '--max-old-space-size=32', '--max-semi-space-size=1', `${PLACES.inside}/beside.mjs`],
    Cmd: [listensToSocket(image) ? 'none' : portOf(image)],
    User: `${uid}:${gid}`,
    WorkingDir: '/',
    StopTimeout: 0,
    HostConfig: {
      ...closed(settings),
      NetworkMode: 'none',
      Memory: BESIDE_BYTES,
      MemorySwap: BESIDE_BYTES,
      PidsLimit: BESIDE_PROCESSES,
      Mounts: [
        bind(node, PLACES.node),
        bind(beside, `${PLACES.inside}/beside.mjs`),
        ...(listensToSocket(image) ? [] : [bind(room.sockets, PLACES.sockets, true)]),
        ...(room.proxy === null ? [] : [bind(room.proxy, PLACES.proxy)]),
      ],
    },
  };
}

/** The program’s own container. `network` is that of the one beside it; null for none at all. */
export function programOptions(
  settings: ContainerSettings,
  room: ProgramRoom,
  image: StoredImage,
  program: ProgramToRun,
  network: string | null,
): Docker.ContainerCreateOptions {
  const { limits, env, hosts } = program;
  if (image.volumes.length > MOST_VOLUMES) throw new ProgramFault(`The image has more than ${MOST_VOLUMES} volumes.`);
  // Podman knows no bound of their number; what it takes to know a file counts as memory.
  const inodes = settings.isPodman ? '' : `,nr_inodes=${MOST_INODES}`;
  const written = `rw,nosuid,nodev,size=${limits.diskBytes}${inodes}`;
  // An engine would make folders of this machine for the volumes that an image names.
  const folders = ['/tmp', '/var/tmp', '/run', ...image.volumes].filter((path) => path !== PLACES.sockets);
  const all = {
    HOME: '/tmp',
    ...env,
    ...wayOut(hosts),
    PORT: listensToSocket(image) ? PLACES.socket : portOf(image),
  };
  return {
    Image: image.name,
    Labels: { [ROOM_LABEL]: room.name },
    Env: Object.entries(all).map(([name, value]) => `${name}=${value}`),
    User: userOf(settings, room, image),
    AttachStdout: true,
    AttachStderr: true,
    StopTimeout: 0,
    HostConfig: {
      ...closed(settings),
      NetworkMode: network === null ? 'none' : `container:${network}`,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      PidsLimit: limits.processes,
      NanoCpus: Math.ceil(limits.cpus * 1e9),
      Tmpfs: Object.fromEntries(folders.map((path) => [path, written])),
      Mounts: listensToSocket(image) ? [bind(room.sockets, PLACES.sockets, true)] : [],
    },
  };
}

/**
 * The user that the image names; where that is root, or none is named, a user that no machine knows, of root’s group,
 * as it reads what root has put there for all. An engine without rights has no such user.
 */
function userOf({ ourselves }: ContainerSettings, room: ProgramRoom, { user }: StoredImage): string {
  const isRoot = user === null || /^(root|0+)(:|$)/.test(user);
  if (!isRoot) return user;
  return room.owner === null ? `${ourselves.uid}:${ourselves.gid}` : `${room.owner.uid}:0`;
}
