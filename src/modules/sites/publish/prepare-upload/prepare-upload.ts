import { Controller, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Attempt } from '../../../../accounts/idempotency/idempotency-keys.js';
import { AccessTokenStore } from '../../../../accounts/tokens/access-tokens.js';
import { ApiLinks, deployLinks, siteLinks } from '../../../../edge/http/api/description/api-links.js';
import { ApiClientName, ApiETag, ApiProblems } from '../../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../../edge/http/api/service-urls.js';
import { Context, IfMatch } from '../../../../edge/http/auth/context.js';
import { Idempotency } from '../../../../edge/http/limits/idempotency.js';
import { rates } from '../../../../edge/http/limits/rates.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { Ids } from '../../../../kernel/ids.js';
import { refuse } from '../../../../kernel/refusal.js';
import { refusals } from '../../../../kernel/refusals.js';
import type { RightEnd } from '../../../../kernel/rights/job-right.js';
import type { Feature } from '../../../../nest/features.js';
import { mcpTool } from '../../../../nest/mcp-tool.js';
import { type DeployIds, DeployPublisher } from '../deploy/deploy-publisher.js';
import { DeployRights } from '../deploy/deploy-rights.js';
import { ApiDeploy, after, DeployPostQuery, readDeploy } from '../deploy/deploy-schemas.js';
import { decideRedeploy } from '../deploy/publish.decide.js';
import { RevokedCredentials } from '../jobs/revoked-credentials.js';
import { type PreparedUpload, UploadTickets } from './upload-tickets.js';

/** An upload must start within this time after its URL was issued. */
const SECONDS = 900;

const Prepared = z
  .object({
    uploadUrl: z.string().meta({
      description:
        'URL that accepts one deploy with PUT, in any form that POST /v1/deploy accepts, without other credentials.',
    }),
    command: z.string().meta({ description: 'Shell command that sends a folder. Replace FOLDER with its path.' }),
    expiresAt: z.string(),
  })
  .meta({ id: 'PreparedUpload' });

const ENDED: Record<RightEnd, string> = {
  member_removed: 'The user who created this upload URL was removed from the site.',
  member_demoted: 'The user who created this upload URL is no longer an editor or owner of the site.',
  // `owner_demoted` and `repository_unlinked` never end an upload, because uploads do not depend on ownership or a
  // repository link.
  owner_demoted: 'The user who created this upload URL is no longer an owner of the site.',
  repository_unlinked: 'The repository link that this upload URL depends on was changed or removed.',
  claimed: 'The site was claimed after this upload URL was created.',
  token_revoked: 'The access token that created this upload URL was revoked.',
  publisher_removed: 'The trusted publisher that created this upload URL was removed.',
  grant_revoked: 'The connected app that created this upload URL no longer has access.',
  taken_down: refusals.taken_down.detail,
  site_deleted: 'The site that this upload URL deploys to was deleted.',
};

const TicketQuery = z.object({ ticket: z.string().max(4_000).meta({ description: 'Ticket from `uploadUrl`.' }) });

@ApiTags('Deploy')
@Controller('v1/deploy/prepared')
class PrepareUploadController {
  constructor(
    private readonly publishing: DeployPublisher,
    private readonly tickets: UploadTickets,
    private readonly idempotency: Idempotency,
    private readonly accessTokens: AccessTokenStore,
    private readonly rights: DeployRights,
    private readonly revoked: RevokedCredentials,
    private readonly ids: Ids,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Create a URL that accepts one deploy',
    description:
      'For clients that can deploy but cannot send the files themselves, such as MCP clients. For fifteen minutes, anyone with the URL can send one deploy on behalf of the caller, without other credentials. If the deploy would certainly be refused, this request fails with the same error.',
  })
  @ApiResponse({
    status: 201,
    standardSchema: Prepared,
    description: 'The upload URL, the time at which it expires, and a command that uses it.',
  })
  @ApiProblems('invalid_slug', 'invalid_expires', 'expires_needs_anonymous', 'slug_taken')
  @Route({ rate: rates.anonymousDeploys })
  @Post()
  async prepareUpload(
    @Req() { query: asked }: FastifyRequest,
    @Query({ schema: DeployPostQuery }) query: z.output<typeof DeployPostQuery>,
    @Context() context: CommandContext,
    @IfMatch(decideRedeploy) ifRevision: number | null,
  ): Promise<z.output<typeof Prepared>> {
    const { slug, options } = readDeploy(query, null, ifRevision);
    const to = await this.publishing.findDestination(context, slug, options, this.publishing.makeIds(context), 'first');
    const expiresAt = after(context.at, SECONDS);
    const ticket = this.tickets.seal({
      id: this.ids.make('dep'),
      caller: context.caller,
      site:
        to.kind === 'existing' ? { siteId: to.site.siteId, right: this.rights.rightOf(to.site.state, context) } : null,
      expiresAt,
      query: asked as Record<string, string>,
      ifRevision,
    });
    const uploadUrl = `${this.urls.baseUrl}/v1/deploy/prepared?ticket=${ticket}`;
    const command = `tar -czf - -C FOLDER . | curl -sS -X PUT -H 'content-type: application/gzip' --data-binary @- '${uploadUrl}'`;
    return { uploadUrl, command, expiresAt };
  }

  @ApiOperation({
    summary: 'Send a prepared deploy',
    description: 'Sending the same content again returns the first response; different content is refused.',
  })
  @ApiDeploy(
    'invalid_token',
    'slug_taken',
    // The following errors can also occur while the body is being received.
    'unauthenticated',
    'edit_token_invalid',
    'forbidden',
    'site_not_found',
    'site_expired',
    'taken_down',
    'revision_mismatch',
    'idempotency_in_progress',
    'idempotency_key_reused',
  )
  @Route({ body: 'streamed', rate: rates.preparedUploads })
  @ApiLinks(...siteLinks, ...deployLinks)
  @ApiETag()
  @ApiClientName()
  @Put()
  async sendUpload(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query({ schema: TicketQuery }) { ticket }: z.output<typeof TicketQuery>,
  ) {
    const at = new Date().toISOString();
    const upload =
      this.tickets.open(ticket, at) ?? refuse('invalid_token', 'This upload URL has expired or never existed.');
    const { id, caller, ifRevision } = upload;
    // An upload URL must not outlive the credential that created it.
    if (caller.delegation?.kind === 'token' && !(await this.accessTokens.isGood(caller.delegation.id)))
      refuse('invalid_token', 'The access token that created this upload URL has expired or been revoked.');
    if (upload.site?.right.kind !== 'editToken' && !(await this.rights.isSessionKept(caller)))
      refuse('invalid_token', 'The session that created this upload URL has ended.');
    await this.#assertRightLasts(upload);
    const context = { at, caller };
    const { slug, options } = readDeploy(DeployPostQuery.parse(upload.query), request, ifRevision);
    const write = {
      makeIds: () => this.publishing.makeIds(context),
      readFingerprint: () => this.publishing.readFingerprint(request, context, options),
      execute: (ids: DeployIds, attempt: Attempt) =>
        this.publishing.deploy(request, context, slug, options, ids, attempt),
    };
    return this.idempotency.run(request, reply, context, write, id);
  }

  async #assertRightLasts({ site, caller }: PreparedUpload): Promise<void> {
    // Tickets issued by the previous version do not contain the right that they depend on.
    const end = site
      ? await this.rights.whyEnded(site.siteId, site.right)
      : await this.revoked.whyDelegationEnded(caller);
    if (end !== null) refuse('invalid_token', ENDED[end]);
  }
}

const tool = mcpTool({
  name: 'prepare_upload',
  title: 'Deploy a folder, or large files',
  description:
    'Returns `command`. Run it in a terminal with FOLDER replaced by the path of a folder: it publishes the whole folder without its files passing through this conversation. `uploadUrl` works once and expires in fifteen minutes; treat it as a secret. Without `slug`, a new site is created. With the slug of a site that you can edit (with `editToken` or sign-in), its files are replaced, which rollback can undo. The command prints the same result as deploy_files; keep its `editToken`.',
  scope: 'publish',
  needs: 'nobody',
  effect: 'replaces',
  isIdempotent: false,
  route: {
    method: 'POST',
    path: '/v1/deploy/prepared',
    query: DeployPostQuery,
    takes: ['editToken', 'ifRevision'],
  },
  answer: Prepared,
  say: ({ command, expiresAt }) => `Run this command once before ${expiresAt}: ${command}`,
});

export const prepareUpload: Feature = { routes: [PrepareUploadController], tools: [tool] };
