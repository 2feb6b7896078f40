import type Docker from 'dockerode';
import { FORWARDER, INSIDE, SHARED_MEMORY_BYTES } from '../inside/places.js';
import type { IsolatedCommand, RoomPlaces } from '../isolation.js';
import { dockerProfile } from '../seccomp/docker-profile.js';
import type { Processor } from '../seccomp/rules.js';
import type { Owner } from '../workspace/owners.js';
import { FIRST_PROCESS, MET_LIMITS } from './met-limits.js';

/** By it the containers of a room are found again. */
export const ROOM_LABEL = 'stele.room';

/** Where the first program inside finds its command (`inside.ts`). */
const COMMAND = '/run/command.json';

/** Beside a machine’s usual 1,024, which other programs of ours have. A build’s share gives way to them. */
const CPU_SHARES = 512;
const OPEN_FILES = 20_000;
const SHARED_MEMORY_FILES = 8_192;
/** Of all builds together, as they are one user: what one may have is bounded by its container. */
const PROCESSES_OF_USER = 32_768;

/** What all containers of one process have in common. */
export type ContainerSettings = {
  readonly image: string;
  /** The user of a container where no other user owns the files of its room. */
  readonly ourselves: Owner;
  readonly isPodman: boolean;
  readonly processor: Processor;
  /** The file of the filter of system calls. */
  readonly profile: string;
};

/** Files of one command, on the machine’s side. */
export type CommandFiles = {
  /** What it is. */
  readonly command: string;
  /** Where the limits that it met are written to. */
  readonly metLimits: string;
  /** Of `/etc`: whose names are known inside. */
  readonly passwd: string;
  readonly group: string;
};

/** A container for one command: no network, no rights, nothing to write to but the room’s disk. */
export function containerOptions(
  { image, ourselves, isPodman, processor, profile }: ContainerSettings,
  { limits, ...room }: RoomPlaces,
  cache: IsolatedCommand['cache'],
  files: CommandFiles,
): Docker.ContainerCreateOptions {
  const { uid, gid } = room.owner ?? ourselves;
  // Not `Binds`: an engine would make a folder of what is not there.
  const bind = (Source: string, Target: string, isWritten: boolean) => ({
    Type: 'bind' as const,
    Source,
    Target,
    ReadOnly: !isWritten,
  });
  const limit = (Name: string, most: number) => ({ Name, Soft: most, Hard: most });
  return {
    Image: image,
    Labels: { [ROOM_LABEL]: room.name },
    // What an image says itself is not run.
    Entrypoint: ['/bin/sh', '-c', FIRST_PROCESS, 'first'],
    Cmd: [...FORWARDER],
    Env: [],
    User: `${uid}:${gid}`,
    Hostname: 'build',
    WorkingDir: '/',
    AttachStdout: true,
    AttachStderr: true,
    StopTimeout: 0,
    HostConfig: {
      NetworkMode: 'none',
      IpcMode: 'private',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges', `seccomp=${isPodman ? profile : JSON.stringify(dockerProfile(processor))}`],
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      PidsLimit: limits.processes,
      CpuShares: CPU_SHARES,
      Ulimits: [
        limit('core', 0),
        limit('fsize', limits.diskBytes),
        limit('nofile', OPEN_FILES),
        ...(isPodman ? [limit('nproc', PROCESSES_OF_USER)] : []),
      ],
      ...(isPodman
        ? { ShmSize: SHARED_MEMORY_BYTES }
        : { Tmpfs: { '/dev/shm': `size=${SHARED_MEMORY_BYTES},nr_inodes=${SHARED_MEMORY_FILES}` } }),
      Mounts: [
        bind(files.passwd, '/etc/passwd', false),
        bind(files.group, '/etc/group', false),
        bind(room.tools, INSIDE.tools, false),
        bind(room.proxy, INSIDE.proxy, false),
        bind(files.command, COMMAND, false),
        bind(files.metLimits, MET_LIMITS, true),
        bind(room.temporary, INSIDE.temporary, true),
        bind(room.temporary, '/var/tmp', true),
        bind(room.home, INSIDE.home, true),
        bind(room.workTree, INSIDE.workTree, true),
        ...(cache ? [bind(cache.folder, INSIDE.cache, cache.isWritten)] : []),
      ],
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}
