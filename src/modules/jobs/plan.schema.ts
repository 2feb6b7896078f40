import { z } from 'zod';
import { NO_NUL, ONE_LINE, WellFormed } from '../../edge/http/api/schemas/texts.js';
import { planKinds } from '../../events/repo-source.js';

const wellFormed = z
  .string()
  .max(1_000)
  .overwrite((given) => given.toWellFormed());
const text = wellFormed.regex(NO_NUL, 'must not contain a NUL character');
/** A command must be a single line, because people who review a plan might overlook further lines. */
const line = wellFormed.regex(ONE_LINE, 'must be a single line without control characters');
const command = line.nullable();
/** Characters allowed in a folder name. `parseRootDirectory` checks the rest. */
const FOLDER = '^[^\\u0000-\\u001f\\u007f-\\u009f\\\\]*$';

const members = {
  kind: z.enum(planKinds).meta({
    description:
      '`static` publishes files without a build; `static_build` runs a build and publishes a folder from its output; `next` builds a Next.js project and publishes its files or runs its server; `container` builds a Dockerfile and runs the image.',
  }),
  framework: command,
  packageManager: command,
  nodeVersion: command,
  installCommand: command,
  buildCommand: command,
  outputDirectory: text
    .meta({ pattern: FOLDER })
    .nullable()
    .meta({ description: 'Folder to publish, relative to `rootDirectory`.' }),
  rootDirectory: text.meta({
    description: 'Folder that contains the site, relative to the repository root. `.` is the root itself.',
    pattern: FOLDER,
  }),
  dockerfile: text.optional().meta({ pattern: FOLDER }),
};

export const BuildPlan = z.object(members).meta({ id: 'BuildPlan' });

/** Fields of a plan that override the detected ones. */
export const PlanWishes = z.strictObject(members).partial().meta({ id: 'BuildPlanWishes' });

/** Checks only the characters of a URL; `parseRepoAddress` and `repoUrl` check the rest. */
const HTTPS_ADDRESS =
  '(?:git\\+)?[Hh][Tt][Tt][Pp][Ss]?://(?:[A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])(?::\\d{1,5})?/[!-\\[\\]_-~]+';
const OTHER_ADDRESS = '(?:(?:ssh|git)://)?(?:[A-Za-z0-9_.-]+@)?[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+[:/][!-\\[\\]_-~]+';
const ADDRESS = `^ *(?:${HTTPS_ADDRESS}|${OTHER_ADDRESS}) *$`;
/** Characters that git allows in branch and tag names. `checkRef` checks their order. */
const REF = '^[^\\u0000-\\u0020\\u007f-\\u009f~^:?*\\[\\\\]+$';

export const RepoBody = z.strictObject({
  url: WellFormed.min(1).max(2_048).meta({
    description:
      'HTTPS URL of a public repository. The URL of a branch, folder or file in it (`…/tree/main/docs`) also sets `ref` and `rootDirectory`, and a fragment (`#main`) sets `ref`. SSH URLs and URLs without `https://` are converted to HTTPS URLs.',
    example: 'https://github.com/owner/name',
    pattern: ADDRESS,
  }),
  ref: WellFormed.min(1).max(255).optional().meta({
    description:
      'Branch, tag, or commit ID (its beginning is enough). Defaults to the default branch of the repository.',
    pattern: REF,
  }),
  rootDirectory: text.optional().meta({
    description:
      'Folder that contains the site. If omitted, `build.base` from netlify.toml is used, or else the repository root.',
    pattern: FOLDER,
  }),
});
