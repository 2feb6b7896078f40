import { Controller, Inject, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiProblems } from '../../../http/api/description/api-traits.js';
import { Route } from '../../../http/api/route-options.js';
import { ServiceUrls } from '../../../http/api/service-urls.js';
import { Context, IfMatch } from '../../../http/auth/context.js';
import { Idempotency } from '../../../http/limits/idempotency.js';
import { rates } from '../../../http/limits/rates.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { Ids } from '../../../kernel/ids.js';
import { refuse } from '../../../kernel/refusal.js';
import { agentTool } from '../../../process/nest/agent-tool.js';
import type { Feature } from '../../../process/nest/features.js';
import { AccessTokens } from '../../../tables/tokens/access-tokens.js';
import { DeployBody } from '../deploy/deploy-body.openapi.js';
import { DeployPostQuery, deployOptions } from '../deploy/deploy-query.js';
import { DeployResult } from '../deploy/deploy-result.js';
import { after, expirySeconds } from '../deploy/expiry.js';
import { Publishing } from '../deploy/publishing.js';
import { validSlug } from '../slugs/slug-name.js';
import { UploadTickets } from './upload-tickets.js';

/** How long an upload may begin, in seconds. */
const SECONDS = 900;

const Prepared = z
  .object({
    uploadUrl: z.string().meta({
      description: 'Takes one deploy by PUT, in any form that POST /v1/deploy takes, without further credentials.',
    }),
    command: z.string().meta({ description: 'The line that sends a folder: put its path in the place of FOLDER.' }),
    expiresAt: z.string(),
  })
  .meta({ id: 'PreparedUpload' });

const TicketQuery = z.object({ ticket: z.string().max(4_000).meta({ description: 'As it stands in `uploadUrl`.' }) });

@ApiTags('Deploy')
@Controller('v1/deploy/prepared')
class PrepareUploadController {
  constructor(
    @Inject(Publishing) private readonly publishing: Publishing,
    @Inject(UploadTickets) private readonly tickets: UploadTickets,
    @Inject(Idempotency) private readonly idempotency: Idempotency,
    @Inject(AccessTokens) private readonly accessTokens: AccessTokens,
    @Inject(Ids) private readonly ids: Ids,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Have an address made that takes one deploy',
    description:
      'For a program that may deploy and cannot send the files itself, such as an agent: any client that has the address may send them, with no other credential, for fifteen minutes, once. The deploy is the caller’s. What it would be refused for is said now.',
  })
  @ApiResponse({ status: 201, standardSchema: Prepared, description: 'The address, and how to use it.' })
  @ApiProblems('invalid_slug', 'invalid_expires', 'expires_needs_anonymous', 'slug_taken')
  @Route({ rate: rates.anonymousDeploys })
  @Post()
  async prepareUpload(
    @Req() { query: asked }: FastifyRequest,
    @Query({ schema: DeployPostQuery }) query: z.output<typeof DeployPostQuery>,
    @Context() context: CommandContext,
    @IfMatch() ifRevision: number | null,
  ): Promise<z.output<typeof Prepared>> {
    const write = this.#writeOf(null, query, context, ifRevision);
    await write.check(write.makeIds(), 'first');
    const expiresAt = after(context.at, SECONDS);
    const ticket = this.tickets.seal({
      id: this.ids.make('dep'),
      caller: context.caller,
      expiresAt,
      query: asked as Record<string, string>,
      ifRevision,
    });
    const uploadUrl = `${this.urls.baseUrl}/v1/deploy/prepared?ticket=${ticket}`;
    const command = `tar -czf - -C FOLDER . | curl -sS -X PUT -H 'content-type: application/gzip' --data-binary @- '${uploadUrl}'`;
    return { uploadUrl, command, expiresAt };
  }

  @ApiOperation({
    summary: 'Send the deploy that was prepared',
    description: 'The same content sent again is answered as the first; other content is refused.',
  })
  @DeployBody()
  @ApiResponse({ status: 200, standardSchema: DeployResult, description: 'Live: the next request sees it.' })
  @ApiProblems(
    'no_files',
    'invalid_path',
    'blocked_path',
    'invalid_slug',
    'too_many_files',
    'blob_missing',
    'invalid_token',
    'slug_taken',
    'idempotency_in_progress',
    'idempotency_key_reused',
  )
  @Route({ body: 'streamed', rate: rates.preparedUploads })
  @Put()
  async sendUpload(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query({ schema: TicketQuery }) { ticket }: z.output<typeof TicketQuery>,
  ) {
    const at = new Date().toISOString();
    const upload = this.tickets.open(ticket, at) ?? refuse('invalid_token', 'This address is over, or never was.');
    const { id, caller, ifRevision } = upload;
    // Nothing that a token gave outlives it.
    if (caller.delegation?.kind === 'token' && !(await this.accessTokens.isGood(caller.delegation.id)))
      refuse('invalid_token', 'The token that this address was made with is over.');
    const context = { at, caller };
    const write = this.#writeOf(request, DeployPostQuery.parse(upload.query), context, ifRevision);
    return this.idempotency.run(request, reply, context, write, id);
  }

  #writeOf(
    request: FastifyRequest | null,
    { slug, expires, ...query }: z.output<typeof DeployPostQuery>,
    context: CommandContext,
    ifRevision: number | null,
  ) {
    const seconds = expires === undefined ? null : expirySeconds(expires);
    const expiresAt = (at: string) => (seconds === null ? null : after(at, seconds));
    const name = slug === undefined ? null : validSlug(slug);
    return this.publishing.post(request ?? { page: '' }, context, name, {
      ...deployOptions(query, request),
      ifRevision,
      expiresAt,
    });
  }
}

const tool = agentTool({
  name: 'prepare_upload',
  title: 'Send a folder, or anything large',
  description:
    'Answers `command`: run it in a terminal with the path of the folder in the place of FOLDER, and the whole folder is published without its files passing through this conversation. `uploadUrl` works once, for fifteen minutes; treat it as a secret. Without `slug` a new site is made; with the slug of a site that you may edit (`editToken` or sign-in) its files are replaced, which rollback undoes. The line prints what deploy_files answers: keep editToken of it.',
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
  say: ({ command, expiresAt }) => `Until ${expiresAt}, run once: ${command}`,
});

export const prepareUpload: Feature = { routes: [PrepareUploadController], tools: [tool] };
