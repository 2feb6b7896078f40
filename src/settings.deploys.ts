import type { z } from 'zod';
import { setting } from './settings.declaration.js';
import { count, duration } from './settings.forms.js';
import type { DeployLimits } from './uploads/deploy-limits.js';

/** Settings of deploys: their limits, and when sites without an owner expire. */
export const deployEnvironment = {
  STELE_MAX_FILE_BYTES: setting(count(26_214_400), {
    description: 'Maximum size of one file.',
    form: 'a positive integer',
    unit: 'bytes',
  }),
  STELE_MAX_DEPLOY_BYTES: setting(count(1_073_741_824), {
    description: 'Maximum size of all files of a deploy together.',
    form: 'a positive integer',
    unit: 'bytes',
  }),
  STELE_MAX_FILES: setting(count(20_000), {
    description: 'Maximum number of files in a deploy.',
    form: 'a positive integer',
  }),
  STELE_MAX_JSON_BYTES: setting(count(52_428_800), {
    description: 'Maximum size of the body of a deploy that is sent as JSON or HTML.',
    form: 'a positive integer',
    unit: 'bytes',
  }),
  STELE_ANONYMOUS_MAX_FILES: setting(count(1_000), {
    description:
      'Maximum number of files in a deploy by a client that is not signed in. `STELE_MAX_FILES` applies too if it is lower.',
    form: 'a positive integer',
  }),
  STELE_ANONYMOUS_MAX_BYTES: setting(count(104_857_600), {
    description:
      'Maximum size of a deploy by a client that is not signed in. `STELE_MAX_DEPLOY_BYTES` applies too if it is lower.',
    form: 'a positive integer',
    unit: 'bytes',
  }),
  STELE_ANONYMOUS_TTL: setting(duration.optional(), {
    description: 'Lifetime of a new site without an owner if its deploy does not set `expires`.',
    form: 'a number followed by s, m, h or d, such as 30d',
    unset: 'such sites do not expire',
  }),
};

type DeployEnvironment = z.output<z.ZodObject<typeof deployEnvironment>>;

/** The limits of a deploy, which depend on the caller (docs/interface/publishing.md, "Deploy limits"). */
export class LimitsOfDeploys {
  constructor(
    private readonly anonymous: DeployLimits,
    private readonly signedIn: DeployLimits,
    /** Size limit of the stored output or image of a deploy that runs as a server, for every caller. */
    readonly programBytes: number,
  ) {}

  /** `userId` is null for a caller who is not signed in. */
  of(userId: string | null): DeployLimits {
    return userId === null ? this.anonymous : this.signedIn;
  }
}

/** Default expiry of new sites without an owner. */
export abstract class AnonymousExpiry {
  /** Lifetime from its creation; null if it does not expire. */
  abstract readonly seconds: number | null;
}

/** Caps the anonymous limits at those of signed-in callers. */
export function deployLimitsIn(env: DeployEnvironment): {
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

export const anonymousExpiryIn = ({ STELE_ANONYMOUS_TTL: ms }: DeployEnvironment): AnonymousExpiry => ({
  seconds: ms === undefined ? null : ms / 1_000,
});
