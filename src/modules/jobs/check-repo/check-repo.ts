import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { plural } from '../../../kernel/output/quantities.js';
import { Builder } from '../../../kernel/ports/outside/builder.js';
import { ImageBuilder } from '../../../kernel/ports/outside/image-builder.js';
import { type RepoAddress, Repositories } from '../../../kernel/ports/outside/repositories.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { mcpTool } from '../../../nest/mcp-tool.js';
import { BuildSettings } from '../../../settings/build-settings.js';
import { type BuilderPair, whyNotBuilt } from '../build/assert-builder.js';
import { detect } from '../detect/detect.js';
import type { PlanRequest } from '../detect/detected.js';
import { assertFolders } from '../detect/root-directory.js';
import { BuildPlan, PlanWishes, RepoBody } from '../plan.schema.js';
import { listSkippedWarnings } from '../publish/static-files.js';
import { parseRepoAddress } from '../repo-address.js';

const CheckRepoBody = RepoBody.extend({
  plan: PlanWishes.optional().meta({
    description: 'Overrides for parts of the detected build plan, as in a deploy.',
  }),
});

const RepoCheck = z
  .object({
    repo: z.object({
      url: z.string(),
      ref: z.string().meta({ description: 'The requested branch, tag or commit, or the name of the default branch.' }),
      commit: z.string(),
    }),
    plan: BuildPlan,
    evidence: z.array(z.object({ file: z.string(), why: z.string() })),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'RepoCheck' });

/** Maximum number of concurrent checks. Each keeps a copy of up to 256 MiB of the repository for up to a minute. */
const MAX_AT_ONCE = 8;

@ApiTags('Repositories')
@Controller('v1/repo/check')
class CheckRepoController {
  #underWay = 0;
  private readonly builders: BuilderPair;

  constructor(
    private readonly repositories: Repositories,
    private readonly builds: BuildSettings,
    builder: Builder,
    imageBuilder: ImageBuilder,
  ) {
    this.builders = { builder, imageBuilder };
  }

  @ApiOperation({
    summary: 'Check how a public repository would be deployed',
    description:
      'Fetches the repository and detects a build plan from its files, without running any of its code. As in a deploy, `plan` overrides parts of the detected plan. `evidence` lists the files that the plan is based on.',
  })
  @ApiResponse({ status: 200, standardSchema: RepoCheck, description: 'The detected plan.' })
  @Route({ rate: rates.repoChecks })
  @ApiProblems('repo_unreachable', 'repo_not_allowed', 'plan_not_detected', 'too_many_files', 'builder_unavailable')
  @Post()
  @HttpCode(200)
  async checkRepo(
    @Body({ schema: CheckRepoBody }) body: z.output<typeof CheckRepoBody>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof RepoCheck>> {
    const { url, ref, rootDirectory, plan = {} } = parseRepoAddress(body);
    assertFolders({ rootDirectory: rootDirectory ?? null, plan });
    if (this.#underWay >= MAX_AT_ONCE)
      refuse('unavailable', 'Too many repositories are being checked at the moment. Try again shortly.');
    this.#underWay++;
    const left = new AbortController();
    const leave = () => left.abort();
    reply.raw.once('close', leave);
    try {
      return await this.#check({ url, ref: ref ?? null }, { rootDirectory: rootDirectory ?? null, plan }, left.signal);
    } finally {
      reply.raw.off('close', leave);
      this.#underWay--;
    }
  }

  async #check(address: RepoAddress, wanted: PlanRequest, signal: AbortSignal) {
    const copy = await this.repositories.copy(address, signal);
    try {
      const { files, plan, evidence, warnings } = await detect(copy, wanted, this.builds);
      const { url, ref, commit } = copy;
      const missing = await whyNotBuilt(this.builders, plan);
      const more = plan.kind === 'static' ? listSkippedWarnings(files.entries) : missing === null ? [] : [missing];
      return { repo: { url, ref, commit }, plan, evidence: [...evidence], warnings: [...warnings, ...more] };
    } finally {
      await copy.close();
    }
  }
}

const tool = mcpTool({
  name: 'check_repo',
  title: 'Check how a public repository would be deployed',
  description:
    'Fetches the repository and detects a build plan, without running any of its code. Returns the plan, the files it is based on, and warnings; an error says what to change. Call deploy_repo next.',
  scope: 'publish',
  needs: 'nobody',
  effect: 'reads',
  isIdempotent: true,
  reachesOut: true,
  quotes: true,
  route: { method: 'POST', path: '/v1/repo/check', body: CheckRepoBody },
  answer: RepoCheck,
  say: ({ repo, plan, warnings }) =>
    `${repo.url} at ${repo.commit.slice(0, 12)} would be deployed as ${plan.kind}${plan.framework ? ` (${plan.framework})` : ''}; ${plural(warnings.length, 'warning')}.`,
});

export const checkRepo: Feature = { routes: [CheckRepoController], tools: [tool] };
