import { z } from 'zod';
import { DeployJson } from '../../../../content/uploads/bodies/json/json-body.js';
import { plural } from '../../../../kernel/output/quantities.js';
import { mcpTool } from '../../../../nest/mcp-tool.js';
import { DeployPatchQuery, DeployPostQuery, DeployResult } from './deploy-schemas.js';

const Page = z.strictObject({ html: z.string().min(1).meta({ description: 'The complete HTML page.' }) });

const Replacement = z.strictObject({
  html: Page.shape.html.optional(),
  files: DeployJson.shape.files.optional().meta({ description: 'Files to deploy, instead of `html`.' }),
});

const NewSite = DeployPostQuery.pick({ slug: true, expires: true, message: true });

/**
 * Deploys only to a new site. No existing site has revision 0, so the request is refused if the slug is already in use.
 */
const ONLY_NEW = { 'if-match': '"0"' };

const sayLive = ({ slug, url, deployId, files, claimUrl, warnings }: z.output<typeof DeployResult>) =>
  [
    `${slug} is live at ${url} (${deployId}, ${plural(files, 'file')}).`,
    claimUrl &&
      `Keep editToken: it is the only key to the site and is not shown again. Anyone who opens ${claimUrl} can claim the site, so give that URL to your user.`,
    warnings.length > 0 && `Read the ${plural(warnings.length, 'warning')} in the result.`,
  ]
    .filter(Boolean)
    .join(' ');

const KEEP =
  'Without sign-in, the response contains `editToken`, which is the only key to the site and is shown only once, and `claimUrl`, which you should give to your user so that they can become the owner of the site. To change the site later, call redeploy. For large or many files, use prepare_upload.';

export const deployHtml = mcpTool({
  name: 'deploy_html',
  title: 'Deploy a single page as a new site',
  description: `Publishes \`html\` as a new site with its own URL, live immediately. \`slug\` sets its name. ${KEEP}`,
  scope: 'publish',
  needs: 'nobody',
  effect: 'adds',
  isIdempotent: false,
  route: {
    method: 'POST',
    path: '/v1/deploy',
    query: NewSite,
    body: Page,
    content: true,
    headers: ONLY_NEW,
    takes: ['idempotencyKey'],
  },
  answer: DeployResult,
  say: sayLive,
});

export const deployFiles = mcpTool({
  name: 'deploy_files',
  title: 'Deploy several files as a new site',
  description: `Publishes \`files\` as a new site with its own URL, live immediately. \`index.html\` is its home page; prefer relative URLs between the files. \`slug\` sets its name. ${KEEP}`,
  scope: 'publish',
  needs: 'nobody',
  effect: 'adds',
  isIdempotent: false,
  route: {
    method: 'POST',
    path: '/v1/deploy',
    query: NewSite,
    body: DeployJson,
    content: true,
    headers: ONLY_NEW,
    takes: ['idempotencyKey'],
  },
  answer: DeployResult,
  say: sayLive,
});

export const redeploy = mcpTool({
  name: 'redeploy',
  title: 'Replace a site’s content',
  description:
    'Replaces all of the site’s content with `html` or `files`. With `mode: "merge"`, the files are added to the live deploy, replacing files with the same path, and a file with `delete: true` is removed. The previous deploy is kept, so rollback can undo this. Requires `editToken`, or sign-in as an owner or editor. Pass the `revision` from the last response about the site as `ifRevision`: if someone has deployed or rolled back since, or changed who can see the site or who owns it, the call is refused with revision_mismatch instead of replacing their work. `publish: false` stores the deploy without making it live.',
  scope: 'publish',
  needs: 'token',
  effect: 'replaces',
  isIdempotent: false,
  route: {
    method: 'PATCH',
    path: '/v1/deploy',
    query: DeployPatchQuery,
    body: Replacement,
    content: true,
    takes: ['editToken', 'ifRevision', 'idempotencyKey'],
  },
  answer: DeployResult,
  say: (result) => `${sayLive(result)} To undo this, roll back to the previous deploy (see list_deploys).`,
});
