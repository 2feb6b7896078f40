import { z } from 'zod';

/**
 * Ways to make a site from a repository (docs/interface/repositories.md, "Checking a repository"). Paths are relative
 * to the repository, and `.` is its root.
 */
export const planKinds = ['static', 'static_build', 'next', 'container'] as const;

export const plan = z.strictObject({
  kind: z.enum(planKinds),
  framework: z.string().nullable(),
  packageManager: z.string().nullable(),
  nodeVersion: z.string().nullable(),
  installCommand: z.string().nullable(),
  buildCommand: z.string().nullable(),
  /** The output folder, relative to the root directory. */
  outputDirectory: z.string().nullable(),
  rootDirectory: z.string(),
  dockerfile: z.string().optional(),
});
export type Plan = z.output<typeof plan>;

export const repoSource = z.strictObject({
  /** The repository's URL. URLs with credentials are refused before anything is recorded. */
  url: z.string(),
  /** A branch, a tag or a commit. Null for the default branch. */
  ref: z.string().nullable(),
  rootDirectory: z.string().nullable(),
  /** Settings that override the detected plan. */
  plan: plan.partial(),
});
export type RepoSource = z.output<typeof repoSource>;
