import type Docker from 'dockerode';
import { FORWARDER, INSIDE, SHARED_MEMORY_BYTES } from '../inside/places.js';
import type { IsolatedCommand, SandboxPlaces } from '../isolation.js';
import { dockerProfile } from '../seccomp/docker-profile.js';
import type { Processor } from '../seccomp/rules.js';
import type { Owner } from '../workspace/owners.js';
import { FIRST_PROCESS, MET_LIMITS } from './met-limits.js';

/** Label that identifies the containers of a sandbox. */
export const SANDBOX_LABEL = 'stele.room';

/** File from which the container’s first process (`inside.ts`) reads its command. */
const COMMAND = '/run/command.json';

/** CPU shares of a build: half of the default of 1,024, so that other containers take precedence over builds. */
const CPU_SHARES = 512;
const OPEN_FILES = 20_000;
const SHARED_MEMORY_FILES = 8_192;
/** Process limit of all builds together, because they share a user. Each container has its own limit in addition. */
const PROCESSES_OF_USER = 32_768;

export type ContainerSettings = {
  readonly image: string;
  /** User that runs a container if its files have no separate owner. */
  readonly ourselves: Owner;
  readonly isPodman: boolean;
  readonly processor: Processor;
  /** Path of the seccomp profile to apply to containers. */
  readonly profile: string;
};

/** Paths of one command's files on this machine. */
export type CommandFiles = {
  readonly command: string;
  /** File in which the container reports the limits that were reached. */
  readonly metLimits: string;
  /** User and group files that are mounted in `/etc`. */
  readonly passwd: string;
  readonly group: string;
};

/**
 * Returns options for a container that runs one command without network access or capabilities. The command can write
 * only to the sandbox’s disk.
 */
export function containerOptions(
  { image, ourselves, isPodman, processor, profile }: ContainerSettings,
  { limits, ...places }: SandboxPlaces,
  cache: IsolatedCommand['cache'],
  files: CommandFiles,
): Docker.ContainerCreateOptions {
  const { uid, gid } = places.owner ?? ourselves;
  // Uses mounts, because with `Binds` an engine would create missing sources as folders.
  const bind = (Source: string, Target: string, isWritten: boolean) => ({
    Type: 'bind' as const,
    Source,
    Target,
    ReadOnly: !isWritten,
  });
  const limit = (Name: string, most: number) => ({ Name, Soft: most, Hard: most });
  return {
    Image: image,
    Labels: { [SANDBOX_LABEL]: places.name },
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
        bind(places.tools, INSIDE.tools, false),
        bind(places.proxy, INSIDE.proxy, false),
        bind(files.command, COMMAND, false),
        bind(files.metLimits, MET_LIMITS, true),
        bind(places.temporary, INSIDE.temporary, true),
        bind(places.temporary, '/var/tmp', true),
        bind(places.home, INSIDE.home, true),
        bind(places.workTree, INSIDE.workTree, true),
        ...(cache ? [bind(cache.folder, INSIDE.cache, cache.isWritten)] : []),
      ],
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}
