import { z } from 'zod';
import { setting } from './declaration.js';
import { bytes, hostNames, hosts, nodeVersions, registries, SIZE_FORM, size } from './forms.js';

export const buildEnvironment = {
  STELE_BUILDER: setting(z.enum(['auto', 'bubblewrap', 'container', 'none']).default('auto'), {
    description:
      'Sandbox in which repositories are built: `bubblewrap`, `container` (Docker or Podman, found through `DOCKER_HOST` or at the usual socket paths), or `none`, which disables builds. `auto` uses bubblewrap if it works on this machine, and containers otherwise. `/health` shows which sandbox is in use, or what is missing on this machine.',
    form: 'one of auto, bubblewrap, container or none',
  }),
  STELE_BUILD_IMAGE: setting(
    z
      .string()
      .regex(/^[\w./:@-]{1,255}$/)
      .optional(),
    {
      description:
        'Container image for builds that run in containers. The image needs `/bin/sh` and the same C library as the Node.js that runs Stele. Debian-based images have both.',
      form: 'an image name such as docker.io/library/node:24-bookworm',
      unset: 'an image that Stele creates from the tools and libraries installed on this machine',
    },
  ),
  STELE_BUILD_HOSTS: setting(hostNames.optional(), {
    description:
      'Hosts that builds can reach, over HTTPS on port 443. Builds cannot reach any other host. The listed hosts can be in your private network. Clients must name the host in the TLS handshake (SNI), unless you list the IP address of the host.',
    form: 'a list of host names or IPv4 addresses such as registry.npmjs.org, separated by commas or spaces',
    unset: 'the npm and Yarn registries, the npm registry configured on this machine, and Google’s two font hosts',
  }),
  STELE_BUILD_MEMORY: setting(bytes.refine((each) => each >= 67_108_864).default(2_147_483_648), {
    description: 'Memory limit for each build, shared by all of its processes.',
    form: `${SIZE_FORM}, of at least 64 MiB`,
    unit: 'bytes',
  }),
  STELE_BUILD_SECONDS: setting(z.coerce.number().int().min(1).max(86_400).default(900), {
    description: 'Maximum duration of a job.',
    form: 'an integer from 1 to 86400',
    unit: 'seconds',
  }),
  STELE_NODE_VERSIONS: setting(nodeVersions.default([]), {
    description:
      'Node.js versions that projects can request, in addition to the version that runs Stele. Each version is downloaded from the npm registry when a build first needs it.',
    form: 'a list of exact versions such as 22.21.0, separated by commas or spaces',
    unset: 'none',
  }),
  STELE_IMAGE_REGISTRIES: setting(registries.default(['docker.io', 'ghcr.io', 'quay.io']), {
    description:
      'Registries whose base images Dockerfiles can use. Dockerfiles are built only if `STELE_BUILDER` is `auto` or `container`. They require Docker, or Podman running as root with `cgroup_manager = "cgroupfs"`.',
    form: 'a list of registries such as docker.io or registry.intranet:5000, separated by commas or spaces',
  }),
  STELE_IMAGE_BUILD_NETWORK: setting(z.enum(['none', 'registries']).default('none'), {
    description:
      'Network access of `RUN` in Dockerfiles. `registries` lets `RUN` reach the hosts of `STELE_BUILD_HOSTS` over HTTPS, through the same egress proxy as other builds. It requires Podman.',
    form: 'none or registries',
  }),
  STELE_HUGO: setting(z.string().startsWith('/').max(4_096).optional(), {
    description:
      'Path of a Hugo binary that builds can use. Stele copies it into the sandbox. Without this setting, sites built with Hugo are refused. Use the extended edition if sites need Sass or WebP.',
    form: 'an absolute path such as /usr/local/bin/hugo',
    unset: 'none',
  }),
  STELE_REPO_HOSTS: setting(hosts.default([]), {
    description:
      'Hosts that can be in a private network. Repositories and [token issuers](guides/ci.md#trust-a-repository) on these hosts can also use plain HTTP; [client metadata documents](guides/agents.md#sign-in) cannot. All other hosts must be public and use HTTPS.',
    form: 'a list of hosts with their ports, such as git.intranet:3000, separated by commas or spaces',
    unset: 'none',
  }),
  STELE_ANONYMOUS_BUILDS: setting(z.enum(['all', 'static']).optional(), {
    description:
      'Which repositories callers can deploy without signing in. `all` includes repositories that run code in a build. `static` allows only repositories whose files are published as they are.',
    form: 'all or static',
    unset: '`all` if `STELE_BASE_URL` is a loopback address, otherwise `static`',
  }),
  STELE_JOBS: setting(z.coerce.number().int().min(1).max(1_000).default(4), {
    description: 'Maximum number of jobs that run at the same time, across all processes.',
    form: 'an integer from 1 to 1000',
  }),
  STELE_JOBS_PER_USER: setting(z.coerce.number().int().min(1).max(1_000).default(2), {
    description:
      'Maximum number of jobs that run at the same time for each user, or for each network if the caller is not signed in.',
    form: 'an integer from 1 to 1000',
  }),
  STELE_JOB_LEASE_SECONDS: setting(z.coerce.number().min(0.5).max(30).default(20), {
    description: 'Time after which another worker takes over a job whose worker has stopped responding.',
    form: 'a number from 0.5 to 30',
    unit: 'seconds',
  }),
  STELE_MAX_SERVER_BYTES: setting(size(2_147_483_648), {
    description: 'Maximum size of the build output or image that is stored for a deploy that runs as a server.',
    form: SIZE_FORM,
    unit: 'bytes',
  }),
};

type BuildEnvironment = z.output<z.ZodObject<typeof buildEnvironment>>;

export abstract class BuildSettings {
  /** Kind of sandbox for builds. `auto` selects the first one that works on this machine. */
  abstract readonly engine: 'auto' | 'bubblewrap' | 'container' | 'none';
  /** Image for builds in containers, or null to make an image from this machine’s tools. */
  abstract readonly image: string | null;
  abstract readonly memoryBytes: number;
  abstract readonly mostMs: number;
  /** Hosts that builds may reach, or null for the default list. */
  abstract readonly hosts: readonly string[] | null;
  /** Exact Node.js versions that projects may request, in addition to the version that runs Stele. */
  abstract readonly nodeVersions: readonly string[];
  /** Size limit for the stored output or image of a deploy that runs as a server. */
  abstract readonly serverBytes: number;
  /** Registries from which builds may use container images as base images. */
  abstract readonly registries: readonly string[];
  abstract readonly imageNetwork: 'none' | 'registries';
  abstract readonly hugo: string | null;
  /** Whether only signed-in users may start builds that run code of the project. */
  abstract readonly needSession: boolean;
}

export abstract class JobSettings {
  /** Maximum number of simultaneous jobs in all processes together. */
  abstract readonly atOnce: number;
  abstract readonly perOwner: number;
  /** Time after which another worker can take over a job whose lease was not renewed. */
  abstract readonly leaseMs: number;
}

/** `isOnOwnMachine` means that only the operator can reach the service. */
export const readBuildSettings = (env: BuildEnvironment, isOnOwnMachine: boolean): BuildSettings => ({
  engine: env.STELE_BUILDER,
  image: env.STELE_BUILD_IMAGE ?? null,
  memoryBytes: env.STELE_BUILD_MEMORY,
  mostMs: env.STELE_BUILD_SECONDS * 1_000,
  hosts: env.STELE_BUILD_HOSTS ?? null,
  nodeVersions: env.STELE_NODE_VERSIONS,
  serverBytes: env.STELE_MAX_SERVER_BYTES,
  registries: env.STELE_IMAGE_REGISTRIES,
  imageNetwork: env.STELE_IMAGE_BUILD_NETWORK,
  hugo: env.STELE_HUGO ?? null,
  needSession: env.STELE_ANONYMOUS_BUILDS ? env.STELE_ANONYMOUS_BUILDS === 'static' : !isOnOwnMachine,
});

export const readJobSettings = (env: BuildEnvironment): JobSettings => ({
  atOnce: env.STELE_JOBS,
  perOwner: env.STELE_JOBS_PER_USER,
  leaseMs: env.STELE_JOB_LEASE_SECONDS * 1_000,
});
