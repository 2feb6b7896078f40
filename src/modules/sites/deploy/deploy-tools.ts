import { z } from 'zod';
import { agentTool } from '../../../process/nest/agent-tool.js';
import { DeployJson } from '../../../uploads/bodies/json/json-body.js';
import { DeployPatchQuery, DeployPostQuery } from './deploy-query.js';
import { DeployResult } from './deploy-result.js';

const Page = z.strictObject({ html: z.string().min(1).meta({ description: 'The whole page.' }) });

const Replacement = z.strictObject({
  html: Page.shape.html.optional(),
  files: DeployJson.shape.files.optional().meta({ description: 'In the place of html: all files of the site.' }),
});

const NewSite = DeployPostQuery.pick({ slug: true, expires: true, message: true });

/** No site has this revision: where the slug names one that is there already, nothing of it is replaced. */
const ONLY_NEW = { 'if-match': '"0"' };

const page = ({ html }: Readonly<Record<string, unknown>>) => ({ type: 'text/html', text: String(html) });
const list = ({ files }: Readonly<Record<string, unknown>>) => ({
  type: 'application/json',
  text: JSON.stringify({ files }),
});

const sayLive = ({ slug, url, deployId, files, claimUrl, warnings }: z.output<typeof DeployResult>) =>
  [
    `${slug} is live at ${url} (${deployId}, ${files} files).`,
    claimUrl &&
      `Keep editToken: it is the only key to the site, and is not told again. Whoever opens ${claimUrl} makes the site theirs: hand it to the person you work for.`,
    warnings.length > 0 && `${warnings.length} warnings: read them.`,
  ]
    .filter(Boolean)
    .join(' ');

const KEEP =
  'Without sign-in the answer has `editToken`, the only key to the site, told this once, and `claimUrl`, to hand to the person who is to own it. To change the site afterwards call redeploy. Large or many files: prepare_upload.';

export const deployHtml = agentTool({
  name: 'deploy_html',
  title: 'Put one page online as a new site',
  description: `Publishes \`html\` as a new site at an address of its own, live at once. \`slug\` chooses the name. ${KEEP}`,
  scope: 'publish',
  needs: 'nobody',
  effect: 'adds',
  isIdempotent: false,
  route: {
    method: 'POST',
    path: '/v1/deploy',
    query: NewSite,
    body: Page,
    content: page,
    headers: ONLY_NEW,
    takes: ['idempotencyKey'],
  },
  answer: DeployResult,
  say: sayLive,
});

export const deployFiles = agentTool({
  name: 'deploy_files',
  title: 'Put several files online as a new site',
  description: `Publishes \`files\` as a new site at an address of its own, live at once; \`index.html\` is its first page, addresses in it are best relative. \`slug\` chooses the name. ${KEEP}`,
  scope: 'publish',
  needs: 'nobody',
  effect: 'adds',
  isIdempotent: false,
  route: {
    method: 'POST',
    path: '/v1/deploy',
    query: NewSite,
    body: DeployJson,
    content: list,
    headers: ONLY_NEW,
    takes: ['idempotencyKey'],
  },
  answer: DeployResult,
  say: sayLive,
});

export const redeploy = agentTool({
  name: 'redeploy',
  title: 'Replace what a site shows',
  description:
    'Replaces all that the site shows by `html` or `files`; with `mode: "merge"` the files are laid over what is live, and a file with `delete: true` goes. What was live is kept: rollback undoes this. Needs `editToken`, or sign-in as an owner or editor. Pass `ifRevision` as the last answer about the site gave it: then newer work of somebody else is never replaced unknowingly, but refused with revision_mismatch. `publish: false` stores the deploy without showing it.',
  scope: 'publish',
  needs: 'token',
  effect: 'replaces',
  isIdempotent: false,
  route: {
    method: 'PATCH',
    path: '/v1/deploy',
    query: DeployPatchQuery,
    body: Replacement,
    content: (given) => (given.html === undefined ? list(given) : page(given)),
    takes: ['editToken', 'ifRevision', 'idempotencyKey'],
  },
  answer: DeployResult,
  say: (result) => `${sayLive(result)} To undo this, roll back to the deploy before (list_deploys).`,
});
