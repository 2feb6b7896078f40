import { z } from 'zod';

/**
 * How a repository becomes a site (docs/interface/repositories.md, "Checking a repository"). Paths are relative to the
 * repository, `.` is all of it.
 */
export const planKinds = ['static', 'static_build', 'next', 'container'] as const;

export const plan = z.strictObject({
  kind: z.enum(planKinds),
  framework: z.string().nullable(),
  packageManager: z.string().nullable(),
  nodeVersion: z.string().nullable(),
  installCommand: z.string().nullable(),
  buildCommand: z.string().nullable(),
  /** Relative to the root directory. */
  outputDirectory: z.string().nullable(),
  rootDirectory: z.string(),
  dockerfile: z.string().optional(),
});
export type Plan = z.output<typeof plan>;

/** What a deploy is made from, as it was asked for. */
export const repoSource = z.strictObject({
  /** Without credentials: such an address is refused before anything is recorded. */
  url: z.string(),
  /** A branch, a tag or a commit; null for the repository’s own default. */
  ref: z.string().nullable(),
  rootDirectory: z.string().nullable(),
  /** What is to be otherwise than was detected. */
  plan: plan.partial(),
});
export type RepoSource = z.output<typeof repoSource>;
