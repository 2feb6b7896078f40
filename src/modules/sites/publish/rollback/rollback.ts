import { Body, Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiLinks, deployLinks } from '../../../../edge/http/api/description/api-links.js';
import { ApiIdempotencyKey, ApiProblems } from '../../../../edge/http/api/description/api-traits.js';
import { eitherOr } from '../../../../edge/http/api/schemas/having.js';
import { ServiceUrls } from '../../../../edge/http/api/service-urls.js';
import { siteRelatedHeaders } from '../../../../edge/http/api/site-headers.js';
import { Context, IfMatch } from '../../../../edge/http/auth/context.js';
import { Idempotency } from '../../../../edge/http/limits/idempotency.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { Ids } from '../../../../kernel/ids.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Feature } from '../../../../nest/features.js';
import { mcpTool } from '../../../../nest/mcp-tool.js';
import { parseDeployNumber } from '../../site/deploy-number.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import type { Site } from '../../site/state/site.state.js';
import { decideRollback, type RollbackTarget } from './rollback.decide.js';

const numberToText = (given: unknown) => (Number.isSafeInteger(given) ? String(given) : given);

const RollbackBody = z
  .strictObject({
    // Agents and scripts often send the number of a deploy as a JSON number.
    deployId: z.preprocess(numberToText, z.string().min(1)).optional().meta({
      description:
        'ID or number of one of the site’s deploys, or `previous` for the deploy that was published before the live deploy.',
    }),
    number: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'Deploy number, as in the list of deploys. Can be sent instead of `deployId`.' }),
  })
  .refine(({ deployId, number }) => (deployId === undefined) !== (number === undefined), {
    path: ['deployId'],
    error: 'is required unless `number` is sent; send only one of the two',
  })
  .meta(eitherOr('deployId', 'number'));

const RolledBack = z
  .object({
    slug: z.string(),
    url: z.string(),
    deployId: z.string(),
    previousDeployId: z
      .string()
      .meta({ description: 'ID of the deploy that was live until now, or the same as `deployId` if nothing changed.' }),
    rolledBackAt: z.string(),
  })
  .meta({ id: 'RolledBack' });

export class RollbackSite extends SiteCommand(decideRollback) {}

@ApiTags('History')
@Controller('v1/sites/:slug/rollback')
class RollbackController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly urls: ServiceUrls,
    private readonly idempotency: Idempotency,
    private readonly ids: Ids,
  ) {}

  @ApiOperation({
    summary: 'Make an earlier deploy live again',
    description:
      'Only changes which deploy is live; nothing is copied or deleted. Rolling back to the live deploy has no effect and records no event.',
  })
  @ApiResponse({
    status: 200,
    standardSchema: RolledBack,
    description: 'The deploy is live, starting with the next request to the site.',
  })
  @ApiProblems('deploy_not_found')
  @ApiIdempotencyKey()
  @ApiLinks(...deployLinks)
  @Post()
  @HttpCode(200)
  rollback(
    @Param('slug') slug: string,
    @Body({ schema: RollbackBody }) asked: z.output<typeof RollbackBody>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Context() context: CommandContext,
    @IfMatch(decideRollback) ifRevision: number | null,
  ) {
    const to = targetOf(asked);
    const fingerprint = asked.deployId ?? String(asked.number);
    return this.idempotency.run(request, reply, context, {
      makeIds: () => ({ at: context.at, rollbackId: this.ids.make('rbk') }),
      readFingerprint: async () => fingerprint,
      execute: async ({ at, rollbackId }) => {
        const { siteId, state } = await this.directory.get(slug, at);
        const asOf = { ...context, at };
        const command = new RollbackSite({ context: asOf, siteId, to, rollbackId, ifRevision });
        const outcome = await this.commands.execute(command);
        const name = state.status === 'unknown' ? slug : state.slug;
        const { deployId, replaced } = pointerOf(outcome.state, rollbackId);
        const body: z.output<typeof RolledBack> = {
          slug: name,
          url: this.urls.site(name),
          deployId,
          previousDeployId: replaced,
          rolledBackAt: at,
        };
        return { body, headers: siteRelatedHeaders(outcome), fingerprint };
      },
    });
  }
}

const targetOf = ({ deployId, number = 0 }: z.output<typeof RollbackBody>): RollbackTarget => {
  if (deployId === undefined) return { number };
  const numbered = parseDeployNumber(deployId);
  if (numbered !== null) return { number: numbered };
  return deployId === 'previous' ? 'previous' : { deployId };
};

/** Returns the live deploy before and after a rollback. They are equal if the rollback changed nothing. */
function pointerOf(state: Site, rollbackId: string) {
  if (state.status !== 'live' || state.live === null) return refuse('site_expired');
  const { deployId } = state.live;
  return state.rollbacks.find((each) => each.rollbackId === rollbackId) ?? { deployId, replaced: deployId };
}

const tool = mcpTool({
  name: 'rollback',
  title: 'Make an earlier deploy live again',
  description:
    'Makes the deploy `deployId` (its ID, its number, or `previous`) of the same site live again, starting with the next request. Nothing is deleted: the deploy that was live stays in list_deploys, and rolling back to it (`previousDeployId` in the response) undoes this. Secrets and access settings do not change. Call list_deploys first, and pass the `revision` from the last response about the site as `ifRevision`: if someone has deployed or rolled back since, or changed who can see the site or who owns it, the call is refused with revision_mismatch instead of undoing their work.',
  scope: 'publish',
  needs: 'token',
  effect: 'replaces',
  isIdempotent: true,
  route: {
    method: 'POST',
    path: '/v1/sites/:slug/rollback',
    body: RollbackBody,
    takes: ['editToken', 'ifRevision', 'idempotencyKey'],
  },
  answer: RolledBack,
  say: ({ slug, url, deployId, previousDeployId }) =>
    deployId === previousDeployId
      ? `${slug} already shows ${deployId}; nothing changed.`
      : `${slug} now shows ${deployId} at ${url}. To undo this, roll back to ${previousDeployId}.`,
});

export const rollback: Feature = { routes: [RollbackController], tools: [tool] };
