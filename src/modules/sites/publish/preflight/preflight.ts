import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { People } from '../../../../accounts/people/people.js';
import { type DeployLimits, fileCountText, oneLineOf } from '../../../../content/uploads/deploy-limits.js';
import { Route } from '../../../../edge/http/api/route-options.js';
import { version } from '../../../../edge/http/api/version.js';
import { Context } from '../../../../edge/http/auth/context.js';
import { personAnswer, User } from '../../../../edge/http/auth/person-answer.js';
import { UploadTokens } from '../../../../edge/http/auth/upload-tokens.js';
import { rates } from '../../../../edge/http/limits/rates.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refusalCodes } from '../../../../kernel/refusals.js';
import type { Feature } from '../../../../nest/features.js';
import { LimitsOfDeploys } from '../../../../settings/deploy-settings.js';
import { OwnedContent } from '../../site/owned-content.js';
import { HeldUploads } from '../hold-upload/held-uploads.js';
import { ApiUploadToken } from '../hold-upload/upload-headers.js';
import { heldFor } from '../hold-upload/upload-holders.js';
import { Destinations } from './destinations.js';
import { DescribePreflightBody, preflightBody } from './preflight-body.js';
import { type PreflightProblem, problemsOf } from './problems.js';

const Preflight = z
  .object({
    ok: z
      .boolean()
      .meta({ description: 'True if no problems were found. Some content may still need to be uploaded first.' }),
    user: User.optional(),
    slug: z.string().optional(),
    missing: z.array(z.string()).meta({
      description:
        'Digests of the content that must be uploaded: everything that is neither part of a deploy of this site nor already uploaded by the caller. Each digest is listed once, in the order of `files`.',
    }),
    uploadToken: z.string().optional().meta({
      description:
        'Upload token for a caller without credentials, valid for 24 hours. Send it as `x-svc-upload-token` with uploads, and with the deploy that refers to them.',
    }),
    limits: z
      .object({
        bytes: z.number().int().meta({ description: 'Maximum total size of a deploy’s files, in bytes.' }),
        fileBytes: z.number().int().meta({ description: 'Maximum size of a file, in bytes.' }),
        files: z.number().int(),
        jsonBytes: z.number().int().meta({ description: 'Maximum size of a JSON or HTML deploy body, in bytes.' }),
      })
      .meta({ description: 'Limits for deploys of this caller, the same as `deploy` in /v1/limits.' }),
    latestVersion: z.string(),
    problems: z
      .array(z.object({ path: z.string().optional(), code: z.enum(refusalCodes), message: z.string() }))
      .meta({ description: 'All problems that would cause the deploy to be refused.' }),
  })
  .meta({ id: 'Preflight' });

@ApiTags('Command line')
@Controller('v1/cli/preflight')
class PreflightController {
  constructor(
    @Inject(Destinations) private readonly destinations: Destinations,
    @Inject(OwnedContent) private readonly owned: OwnedContent,
    @Inject(HeldUploads) private readonly held: HeldUploads,
    @Inject(UploadTokens) private readonly uploadTokens: UploadTokens,
    @Inject(People) private readonly people: People,
    @Inject(LimitsOfDeploys) private readonly limits: LimitsOfDeploys,
  ) {}

  @ApiOperation({
    summary: 'Check a deploy before uploading its content',
    description:
      'This request stores nothing. Files whose digest is not in `missing` can be deployed as `{ path, sha256 }`, without their content.',
  })
  @ApiUploadToken()
  @DescribePreflightBody()
  @ApiResponse({ status: 200, standardSchema: Preflight, description: 'The result of the check.' })
  @Route({ body: 'streamed', rate: rates.preflights })
  @Post()
  @HttpCode(200)
  async preflight(
    @Req() request: FastifyRequest,
    @Context() context: CommandContext,
  ): Promise<z.output<typeof Preflight>> {
    const { raw } = request;
    const limits = this.limits.of(context.caller.userId);
    const { files: most, fileBytes, deployBytes, bodyBytes } = limits;
    const { slug, files } = await preflightBody(raw, most);
    const { site, problems } = await this.destinations.of(slug, context);
    const announced = new Set(files?.map(({ sha256 }) => sha256));
    const held = new Set(await this.held.of(heldFor(request, context.caller, site), [...announced]));
    const owned = site && (await this.owned.of(site.siteId, announced.difference(held), raw));
    const { userId, delegation } = context.caller;
    // A caller with the token of one site learns nothing of its maker.
    const person = userId === null || delegation?.memberIds ? null : await this.people.find(userId);
    const all = [...problems, ...(files ? await problemsOf(files, limits) : [tooMany(limits)])];
    return {
      ok: all.length === 0,
      ...(person && { user: personAnswer(person) }),
      ...(slug !== undefined && { slug }),
      missing: [...announced].filter((sha256) => !held.has(sha256) && !owned?.has(sha256)),
      ...(hasNone(request) && { uploadToken: this.uploadTokens.make() }),
      limits: { bytes: deployBytes, fileBytes, files: most, jsonBytes: bodyBytes },
      latestVersion: version,
      problems: all,
    };
  }
}

const hasNone = (request: FastifyRequest) =>
  request.session === null && request.editTokenHash === null && request.uploadTokenHash === null;

const tooMany = (limits: DeployLimits): PreflightProblem => ({
  code: 'too_many_files',
  message: oneLineOf(fileCountText(limits)),
});

export const preflight: Feature = { routes: [PreflightController], providers: [Destinations] };
