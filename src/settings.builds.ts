import { z } from 'zod';
import { bytes, hostNames, nodeVersions, registries } from './settings.forms.js';

/** The environment’s part about building repositories, and about the jobs that do it. */
export const buildEnvironment = {
  STELE_BUILDER: z.enum(['auto', 'bubblewrap', 'container', 'none']).default('auto'),
  STELE_BUILD_IMAGE: z
    .string()
    .regex(/^[\w./:@-]{1,255}$/, 'the name of an image, such as docker.io/library/node:24-bookworm')
    .optional(),
  STELE_BUILD_MEMORY: z.coerce.number().int().min(67_108_864).default(2_147_483_648),
  STELE_BUILD_SECONDS: z.coerce.number().int().min(1).max(86_400).default(900),
  STELE_BUILD_HOSTS: hostNames.optional(),
  STELE_NODE_VERSIONS: nodeVersions.default([]),
  STELE_ANONYMOUS_BUILDS: z.enum(['all', 'static']).optional(),
  STELE_MAX_SERVER_BYTES: bytes(2_147_483_648),
  STELE_IMAGE_REGISTRIES: registries.default(['docker.io', 'ghcr.io', 'quay.io']),
  STELE_JOBS: z.coerce.number().int().min(1).max(1_000).default(4),
  STELE_JOBS_PER_USER: z.coerce.number().int().min(1).max(1_000).default(2),
  STELE_JOB_LEASE_SECONDS: z.coerce.number().min(0.5).max(30).default(20),
};

type BuildEnvironment = z.output<z.ZodObject<typeof buildEnvironment>>;

/** How repositories are built. */
export abstract class BuildSettings {
  /** The builder that is asked for; `auto` takes one that works here. */
  abstract readonly engine: 'auto' | 'bubblewrap' | 'container' | 'none';
  /** The image that builds in containers run in; null for one of this machine’s own programs. */
  abstract readonly image: string | null;
  /** Of all processes of one build. */
  abstract readonly memoryBytes: number;
  /** How long a job may take, whatever it does. */
  abstract readonly mostMs: number;
  /** The hosts that builds may reach; null for the usual ones. */
  abstract readonly hosts: readonly string[] | null;
  /** Exact versions of Node that projects may ask for, beside our own. */
  abstract readonly nodeVersions: readonly string[];
  /** Of a deploy that is a program: its stored output or image. */
  abstract readonly programBytes: number;
  /** Where the bases of images may come from. */
  abstract readonly registries: readonly string[];
  /** Whether plans that run code need a session. */
  abstract readonly needSession: boolean;
}

/** How jobs are shared between workers. */
export abstract class JobSettings {
  /** How many may run at once, in all processes together. */
  abstract readonly atOnce: number;
  abstract readonly perOwner: number;
  /** How long a worker that no longer renews its leases keeps its jobs. */
  abstract readonly leaseMs: number;
}

/** `isOnOwnMachine`: the service is only for who runs it. */
export const buildSettingsIn = (env: BuildEnvironment, isOnOwnMachine: boolean): BuildSettings => ({
  engine: env.STELE_BUILDER,
  image: env.STELE_BUILD_IMAGE ?? null,
  memoryBytes: env.STELE_BUILD_MEMORY,
  mostMs: env.STELE_BUILD_SECONDS * 1_000,
  hosts: env.STELE_BUILD_HOSTS ?? null,
  nodeVersions: env.STELE_NODE_VERSIONS,
  programBytes: env.STELE_MAX_SERVER_BYTES,
  registries: env.STELE_IMAGE_REGISTRIES,
  needSession: env.STELE_ANONYMOUS_BUILDS ? env.STELE_ANONYMOUS_BUILDS === 'static' : !isOnOwnMachine,
});

export const jobSettingsIn = (env: BuildEnvironment): JobSettings => ({
  atOnce: env.STELE_JOBS,
  perOwner: env.STELE_JOBS_PER_USER,
  leaseMs: env.STELE_JOB_LEASE_SECONDS * 1_000,
});
