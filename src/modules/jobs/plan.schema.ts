import { z } from 'zod';
import { planKinds } from '../../events/repo-source.js';
import { NO_NUL, ONE_LINE } from '../../http/api/schemas/texts.js';

const wellFormed = z
  .string()
  .max(1_000)
  .overwrite((given) => given.toWellFormed());
const text = wellFormed.regex(NO_NUL, 'must not have a NUL, which no path can hold');
/** One line: what else is in it would be hidden from a reader of the plan. */
const line = wellFormed.regex(ONE_LINE, 'is one line, without control characters');
const command = line.nullable();
/** The name of a folder; `rootDirectoryOf` says where it may lead. */
const FOLDER = '^[^\\u0000-\\u001f\\u007f-\\u009f\\\\]*$';

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
  outputDirectory: text
    .meta({ pattern: FOLDER })
    .nullable()
    .meta({ description: 'What is published, relative to rootDirectory.' }),
  rootDirectory: text.meta({ description: 'Relative to the repository; `.` is all of it.', pattern: FOLDER }),
  dockerfile: text.optional().meta({ pattern: FOLDER }),
};

export const BuildPlan = z.object(members).meta({ id: 'BuildPlan' });

/** What is to be otherwise than detected. */
export const PlanWishes = z.strictObject(members).partial().meta({ id: 'BuildPlanWishes' });

/** What an address may be made of; `repoUrl` says what it may be. */
const ADDRESS = '^[Hh][Tt][Tt][Pp][Ss]?://(?:[A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])(?::\\d{1,5})?/[!-\\[\\]_-~]+$';
/** What git takes in the name of a branch or a tag; `checkRef` says in which order. */
const REF = '^[^\\u0000-\\u0020\\u007f-\\u009f~^:?*\\[\\\\]+$';

export const RepoBody = z.strictObject({
  url: z.string().min(1).max(2_048).meta({
    description: 'A public repository, by https.',
    example: 'https://github.com/owner/name',
    pattern: ADDRESS,
  }),
  ref: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: 'A branch, a tag or a whole commit id.', pattern: REF }),
  rootDirectory: text.optional().meta({
    description: 'The folder that holds the site; all of the repository without it.',
    pattern: FOLDER,
  }),
});
