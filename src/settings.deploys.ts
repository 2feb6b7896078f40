import type { z } from 'zod';
import { bytes, duration } from './settings.forms.js';
import type { DeployLimits } from './uploads/deploy-limits.js';

/** The environment’s part about how large a deploy may be, and how long a site without an owner stays. */
export const deployEnvironment = {
  STELE_MAX_FILE_BYTES: bytes(26_214_400),
  STELE_MAX_DEPLOY_BYTES: bytes(1_073_741_824),
  STELE_MAX_FILES: bytes(20_000),
  STELE_ANONYMOUS_MAX_FILES: bytes(1_000),
  STELE_ANONYMOUS_MAX_BYTES: bytes(104_857_600),
  STELE_MAX_JSON_BYTES: bytes(52_428_800),
  STELE_ANONYMOUS_TTL: duration.optional(),
};

type DeployEnvironment = z.output<z.ZodObject<typeof deployEnvironment>>;

/** The limits of a deploy, by who sends it (docs/interface/publishing.md, "Deploy limits"). */
export class LimitsOfDeploys {
  constructor(
    private readonly anonymous: DeployLimits,
    private readonly signedIn: DeployLimits,
    /** Of the stored output or image of a deploy that is a program, for every caller. */
    readonly programBytes: number,
  ) {}

  /** `userId` is null for a caller who is not signed in. */
  of(userId: string | null): DeployLimits {
    return userId === null ? this.anonymous : this.signedIn;
  }
}

/** When a new site without an owner ends, where its deploy does not say. */
export abstract class AnonymousExpiry {
  /** After it was made; null where it stays. */
  abstract readonly seconds: number | null;
}

/** No caller may send more without signing in than with it. */
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
    },
    signedInLimits,
  };
}

export const anonymousExpiryIn = ({ STELE_ANONYMOUS_TTL: ms }: DeployEnvironment): AnonymousExpiry => ({
  seconds: ms === undefined ? null : ms / 1_000,
});
