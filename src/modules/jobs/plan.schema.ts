import { z } from 'zod';
import { planKinds } from '../../events/repo-source.js';

const wellFormed = z
  .string()
  .max(1_000)
  .overwrite((given) => given.toWellFormed());
const text = wellFormed.refine((given) => !given.includes('\0'), 'must not have a NUL, which no path can hold');
/** One line: what else is in it would be hidden from whoever reads the plan. */
const line = wellFormed.regex(/^\P{Control}*$/u, 'is one line, without control characters');
const command = line.nullable();

const members = {
  kind: z.enum(planKinds).meta({
    description:
      '`static` publishes files as they are; `static_build` builds and publishes a folder; `next` builds Next.js and publishes its files, or runs its server; `container` builds a Dockerfile and runs its image.',
  }),
  framework: command,
  packageManager: command,
  nodeVersion: command,
  installCommand: command,
  buildCommand: command,
  outputDirectory: text.nullable().meta({ description: 'What is published, relative to rootDirectory.' }),
  rootDirectory: text.meta({ description: 'Relative to the repository; `.` is all of it.' }),
  dockerfile: text.optional(),
};

export const BuildPlan = z.object(members).meta({ id: 'BuildPlan' });

/** What is to be otherwise than detected. */
export const PlanWishes = z.strictObject(members).partial().meta({ id: 'BuildPlanWishes' });

export const RepoBody = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(2_048)
    .meta({ description: 'A public repository, by https.', example: 'https://github.com/owner/name' }),
  ref: z.string().min(1).max(255).optional().meta({ description: 'A branch, a tag or a whole commit id.' }),
  rootDirectory: text
    .optional()
    .meta({ description: 'The folder that holds the site; all of the repository without it.' }),
});
