import { Controller, HttpCode, Injectable, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { People } from '../../../../accounts/people/people.js';
import { type DeployLimits, fileCountText, formatOneLine } from '../../../../content/uploads/deploy-limits.js';
import { Route } from '../../../../edge/http/api/route-options.js';
import { version } from '../../../../edge/http/api/version.js';
import { Context } from '../../../../edge/http/auth/context.js';
import { toPersonResponse, User } from '../../../../edge/http/auth/person-response.js';
import { UploadTokens } from '../../../../edge/http/auth/upload-tokens.js';
import { rates } from '../../../../edge/http/limits/rates.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { faultText } from '../../../../kernel/faults/schema-faults.js';
import { refusalCodes } from '../../../../kernel/refusals.js';
import type { Feature } from '../../../../nest/features.js';
import { LimitsOfDeploys } from '../../../../settings/deploy-settings.js';
import { assertCanEdit, isInvolved } from '../../site/assert-access.rule.js';
import { assertCanCreateSite } from '../../site/assert-can-create-site.js';
import { OwnedContent } from '../../site/owned-content.js';
import { type FoundSite, SiteDirectory } from '../../site/site-directory.js';
import { PendingUploadStore } from '../pending-upload/pending-uploads.js';
import { ApiUploadToken } from '../pending-upload/upload-headers.js';
import { listUploadHolders } from '../pending-upload/upload-holders.js';
import { findSlugFault } from '../slugs/slug-name.js';
import { DescribePreflightBody, preflightBody } from './preflight-body.js';
import { catchRefusal, findProblems, type PreflightProblem, toPreflightProblem } from './problems.js';

type UploadDestination = {
  /** The site that would be redeployed, or null if the site would be new or the caller can't edit it. */
  readonly site: FoundSite | null;
  readonly problems: readonly PreflightProblem[];
};

@Injectable()
class Destinations {
  constructor(private readonly directory: SiteDirectory) {}

  /**
   * Returns the target of a deploy with this slug. Like a deploy, refuses an edit token with `unauthenticated` if the
   * slug is missing or free.
   */
  async of(slug: string | undefined, context: CommandContext): Promise<UploadDestination> {
    if (slug === undefined) return aNewSite(context);
    const message = findSlugFault(slug);
    if (message !== null) return elsewhere({ code: 'invalid_slug', message: faultText({ path: 'slug', message }) });

    const found = await this.directory.find(slug, context.at);
    if (!found) return aNewSite(context);
    const refusal = catchRefusal(() => assertCanEdit(found.state, context));
    if (!refusal) return { site: found, problems: [] };
    const isTaken = !isInvolved(found.state, context.caller);
    if (isTaken && (await this.directory.givesSlugBack(found, context.at))) return aNewSite(context);
    // Only callers with access to the site learn why they can't deploy it. All others are told that the slug is taken.
    return elsewhere(isTaken ? taken(slug) : toPreflightProblem(refusal));
  }
}

function aNewSite({ caller }: CommandContext): UploadDestination {
  assertCanCreateSite(caller);
  return elsewhere();
}

const elsewhere = (...problems: readonly PreflightProblem[]): UploadDestination => ({ site: null, problems });

const taken = (slug: string): PreflightProblem => ({
  code: 'slug_taken',
  message: `Another site is called “${slug}”.`,
});

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
    private readonly destinations: Destinations,
    private readonly owned: OwnedContent,
    private readonly held: PendingUploadStore,
    private readonly uploadTokens: UploadTokens,
    private readonly people: People,
    private readonly limits: LimitsOfDeploys,
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
    const held = new Set(await this.held.of(listUploadHolders(request, context.caller, site), [...announced]));
    const owned = site && (await this.owned.of(site.siteId, announced.difference(held), raw));
    const { userId, delegation } = context.caller;
    // A caller with a token for a single site learns nothing about the user who created the token.
    const person = userId === null || delegation?.memberIds ? null : await this.people.find(userId);
    const all = [...problems, ...(files ? await findProblems(files, limits) : [tooMany(limits)])];
    return {
      ok: all.length === 0,
      ...(person && { user: toPersonResponse(person) }),
      ...(slug !== undefined && { slug }),
      missing: [...announced].filter((sha256) => !held.has(sha256) && !owned?.has(sha256)),
      ...(hasNoCredential(request, context) && { uploadToken: this.uploadTokens.make() }),
      limits: { bytes: deployBytes, fileBytes, files: most, jsonBytes: bodyBytes },
      latestVersion: version,
      problems: all,
    };
  }
}

/** A request with an access token has a credential, so it needs no upload token. */
const hasNoCredential = ({ editTokenHash, uploadTokenHash }: FastifyRequest, { caller }: CommandContext) =>
  caller.userId === null && editTokenHash === null && uploadTokenHash === null;

const tooMany = (limits: DeployLimits): PreflightProblem => ({
  code: 'too_many_files',
  message: formatOneLine(fileCountText(limits)),
});

export const preflight: Feature = { routes: [PreflightController], providers: [Destinations] };
