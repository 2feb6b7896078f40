import { z } from 'zod';
import type { DeployLimits } from '../content/uploads/deploy-limits.js';
import { setting } from './declaration.js';
import { bytes, count, duration, SIZE_FORM, size } from './forms.js';

const GIBIBYTE = 2 ** 30;
const ANONYMOUS_TTL_SECONDS = 30 * 86_400;
const ANONYMOUS_TOTAL_BYTES = 10 * GIBIBYTE;

export const deployEnvironment = {
  STELE_MAX_FILE_BYTES: setting(size(26_214_400), {
    description: 'Maximum size of a single file.',
    form: SIZE_FORM,
    unit: 'bytes',
  }),
  STELE_MAX_DEPLOY_BYTES: setting(size(1_073_741_824), {
    description: 'Maximum total size of the files in a deploy.',
    form: SIZE_FORM,
    unit: 'bytes',
  }),
  STELE_MAX_FILES: setting(count(20_000), {
    description: 'Maximum number of files in a deploy.',
    form: 'a positive integer',
  }),
  STELE_MAX_JSON_BYTES: setting(size(52_428_800), {
    description: 'Maximum size of a deploy request whose body is JSON or HTML.',
    form: SIZE_FORM,
    unit: 'bytes',
  }),
  STELE_ANONYMOUS_MAX_FILES: setting(count(1_000), {
    description:
      'Maximum number of files in a deploy by a caller who is not signed in. If `STELE_MAX_FILES` is lower, that limit applies instead.',
    form: 'a positive integer',
  }),
  STELE_ANONYMOUS_MAX_BYTES: setting(size(104_857_600), {
    description:
      'Maximum total size of a deploy by a caller who is not signed in. If `STELE_MAX_DEPLOY_BYTES` is lower, that limit applies instead.',
    form: SIZE_FORM,
    unit: 'bytes',
  }),
  STELE_ANONYMOUS_TTL: setting(duration.or(z.literal('never')).optional(), {
    description:
      'Lifetime of a new site without an owner if its deploy does not set `expires`. Each deploy that goes live restarts this period. Existing sites keep their expiry.',
    form: 'a number followed by s, m, h or d, such as 30d, or never',
    unset: '`never` if `STELE_BASE_URL` is a loopback address, otherwise `30d`',
  }),
  STELE_ANONYMOUS_TOTAL_BYTES: setting(bytes.refine((each) => each > 0).optional(), {
    description:
      'Maximum total size of the content of all sites without an owner. Sites created from one network can use at most half of the space that other sites do not use.',
    form: SIZE_FORM,
    unit: 'bytes',
    unset: 'unlimited if `STELE_BASE_URL` is a loopback address, otherwise 10 GiB',
  }),
  STELE_DEPLOY_BYTES_PER_DAY: setting(size(20 * GIBIBYTE), {
    description:
      'Maximum total size of the files that each user or network can deploy per day (UTC), including build output. A deploy counts towards the site’s longest-standing owner or, if the site has no owner, towards the network that created it.',
    form: SIZE_FORM,
    unit: 'bytes',
  }),
};

type DeployEnvironment = z.output<z.ZodObject<typeof deployEnvironment>>;

/** The limits of a deploy, which depend on the caller (docs/interface/publishing.md, "Deploy limits"). */
export class LimitsOfDeploys {
  constructor(
    private readonly anonymous: DeployLimits,
    private readonly signedIn: DeployLimits,
    /** Size limit for the stored output or image of a deploy that runs as a server. It is the same for every caller. */
    readonly serverBytes: number,
  ) {}

  /** Returns the deploy limits of a caller. `userId` is null for a caller who is not signed in. */
  of(userId: string | null): DeployLimits {
    return userId === null ? this.anonymous : this.signedIn;
  }
}

/** Expiry of a new site without an owner, if the request does not set one. */
export abstract class AnonymousExpiry {
  /** Lifetime of a site after its last publication, or null for sites that never expire. */
  abstract readonly seconds: number | null;
}

/**
 * Reads the deploy limits from the settings. The limits for anonymous callers are never higher than those for signed-in
 * callers.
 */
export function readDeployLimits(env: DeployEnvironment): {
  readonly anonymousLimits: DeployLimits;
  readonly signedInLimits: DeployLimits;
} {
  const signedInLimits: DeployLimits = {
    fileBytes: env.STELE_MAX_FILE_BYTES,
    deployBytes: env.STELE_MAX_DEPLOY_BYTES,
    files: env.STELE_MAX_FILES,
    bodyBytes: env.STELE_MAX_JSON_BYTES,
  };
  return {
    anonymousLimits: {
      ...signedInLimits,
      deployBytes: Math.min(signedInLimits.deployBytes, env.STELE_ANONYMOUS_MAX_BYTES),
      files: Math.min(signedInLimits.files, env.STELE_ANONYMOUS_MAX_FILES),
      signedIn: { files: signedInLimits.files, deployBytes: signedInLimits.deployBytes },
    },
    signedInLimits,
  };
}

export abstract class StorageShares {
  /** Maximum number of bytes that each user or network can deploy in a day. */
  abstract readonly deployBytesPerDay: number;
  /** Maximum size of the content of all sites without an owner. */
  abstract readonly anonymousTotalBytes: number | null;
}

/** `isOnOwnMachine` means that only the operator can reach the service. */
export const readAnonymousExpiry = (
  { STELE_ANONYMOUS_TTL: ms }: DeployEnvironment,
  isOnOwnMachine: boolean,
): AnonymousExpiry => {
  if (ms === undefined) return { seconds: isOnOwnMachine ? null : ANONYMOUS_TTL_SECONDS };
  return { seconds: ms === 'never' ? null : ms / 1_000 };
};

export const readStorageShares = (env: DeployEnvironment, isOnOwnMachine: boolean): StorageShares => ({
  deployBytesPerDay: env.STELE_DEPLOY_BYTES_PER_DAY,
  anonymousTotalBytes: env.STELE_ANONYMOUS_TOTAL_BYTES ?? (isOnOwnMachine ? null : ANONYMOUS_TOTAL_BYTES),
});
