import { Controller, Get, Injectable, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ILike, In, Not, type Repository } from 'typeorm';
import { z } from 'zod';
import type { Session } from '../../../accounts/people/sessions.js';
import { html, joined, type Markup } from '../../../edge/browser/markup.js';
import { ApiLinks, buildLinks, fromResponse } from '../../../edge/http/api/description/api-links.js';
import { ReadYourWrites } from '../../../edge/http/api/read-your-writes.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { buildPageSchema, PageQuery, skipAndTake } from '../../../edge/http/api/schemas/pagination.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { Context, RequireSession, readCaller } from '../../../edge/http/auth/context.js';
import { rerunForm } from '../../../edge/http/pages/rerun-form.js';
import { sendPage, webPage } from '../../../edge/http/pages/web-page.js';
import type { Caller, CommandContext } from '../../../kernel/command-context.js';
import { plural } from '../../../kernel/output/quantities.js';
import { limitRole } from '../../../kernel/rights/delegation.js';
import { RIGHT_ENDED } from '../../../kernel/rights/job-right.js';
import type { Feature } from '../../../nest/features.js';
import { mcpTool } from '../../../nest/mcp-tool.js';
import { DeployRow } from '../../../projections/models/deploy.projection.js';
import { DomainRow } from '../../../projections/models/domain.projection.js';
import { JobRow } from '../../../projections/models/job.projection.js';
import { buildMembershipFilter, MembershipRow } from '../../../projections/models/member.projection.js';
import { SiteRow } from '../../../projections/models/site.projection.js';

/**
 * Finds the jobs that were stopped because the user who started them lost the right to run them. Ignores jobs that were
 * run again afterwards.
 */
@Injectable()
class JobStopper {
  constructor(@InjectRepository(JobRow) private readonly jobs: Repository<JobRow>) {}

  /** Returns the newest job of each site if it was stopped because the user who started it lost the right to run it. */
  async newestOf(siteIds: readonly string[]): Promise<readonly JobRow[]> {
    const stopped = await this.jobs.findBy({
      siteId: In([...siteIds]),
      status: In(['stopping', 'stopped']),
      errorCode: RIGHT_ENDED,
    });
    const sites = [...new Set(stopped.map(({ siteId }) => siteId))];
    const newest = await Promise.all(
      sites.map((siteId) => this.jobs.findOne({ where: { siteId }, order: { createdAt: 'desc', jobId: 'desc' } })),
    );
    return newest.filter((row) => row?.errorCode === RIGHT_ENDED) as JobRow[];
  }
}

const stoppedJobsNotice = (jobs: readonly JobRow[]): Markup | null =>
  jobs.length === 0
    ? null
    : html`<ul class="sites">${joined(
        jobs.map(
          ({ jobId, slug, errorMessage }) =>
            html`<li><span><a href="/jobs/${jobId}">A deploy of ${slug}</a> was stopped: ${errorMessage}</span> ${rerunForm(slug)}</li>`,
        ),
      )}</ul>`;

const MySite = z
  .object({
    slug: z.string(),
    url: z.string(),
    title: z.string(),
    role: z.enum(['owner', 'editor', 'viewer']),
    visibility: z.enum(['public', 'password', 'members']),
    deployId: z.string().nullable(),
    files: z.number().int(),
    bytes: z.number().int(),
    updatedAt: z.string(),
    domains: z.array(z.string()).meta({ description: 'Active custom domains of the site.' }),
    source: z.string().nullable(),
  })
  .meta({ id: 'MySite' });

const MySitesQuery = PageQuery.extend({
  q: z.string().trim().min(1).max(100).optional().meta({
    description: 'Returns only sites whose slug or title contains this text. The search is case-insensitive.',
  }),
  visibility: MySite.shape.visibility.optional(),
  sort: z
    .enum(['updatedAt', '-updatedAt', 'createdAt', '-createdAt', 'slug', '-slug'])
    .default('-updatedAt')
    .meta({ description: 'Field to sort by. A leading minus sorts in descending order.' }),
});

const MySites = buildPageSchema(MySite).meta({ id: 'MySites' });

@ApiTags('You')
@Controller()
class MySitesController {
  constructor(
    @InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>,
    @InjectRepository(SiteRow) private readonly sites: Repository<SiteRow>,
    @InjectRepository(DeployRow) private readonly deploys: Repository<DeployRow>,
    @InjectRepository(DomainRow) private readonly domains: Repository<DomainRow>,
    private readonly stoppedJobs: JobStopper,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({ summary: 'List the sites on which you have a role, most recently updated first' })
  @ApiResponse({ status: 200, standardSchema: MySites, description: 'One page of your sites.' })
  @Route({ tokens: 'any' })
  @ReadYourWrites()
  @ApiLinks(...buildLinks({ slug: fromResponse('items/0/slug') }, 'getSite', 'listDeploys'))
  @Get('v1/me/sites')
  mySites(
    @RequireSession() session: Session,
    @Context() { caller }: CommandContext,
    @Query({ schema: MySitesQuery }) query: z.output<typeof MySitesQuery>,
  ) {
    return this.#list(session, caller, query);
  }

  @ApiExcludeEndpoint()
  @Route({ page: true, problemPages: true })
  @ReadYourWrites()
  @Get('sites')
  async mySitesPage(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query({ schema: PageQuery }) query: z.output<typeof PageQuery>,
  ) {
    if (!request.session) return reply.redirect('/sign-in', 303);
    const list = await this.#list(request.session, readCaller(request), MySitesQuery.parse(query));
    return sendPage(request, reply, this.urls.baseUrl, sitesPage(list, await this.#stoppedJobs(list)));
  }

  async #stoppedJobs({ items }: z.output<typeof MySites>) {
    const slugs = items.flatMap(({ slug, role }) => (role === 'viewer' ? [] : slug));
    const rows = await this.sites.findBy({ slug: In(slugs), status: Not('deleted' as const) });
    return this.stoppedJobs.newestOf(rows.map(({ siteId }) => siteId));
  }

  async #list(
    { userId }: Session,
    caller: Caller,
    query: z.output<typeof MySitesQuery>,
  ): Promise<z.output<typeof MySites>> {
    const rolesOf = await this.memberships.findBy(buildMembershipFilter(userId, caller));
    const roleOf = new Map(
      rolesOf.map(({ id, siteId, role }) => [siteId, limitRole(caller.delegation, { memberId: id, role })]),
    );
    const { q, visibility, sort } = query;
    const all = { siteId: In([...roleOf.keys()]), status: Not('deleted' as const), ...(visibility && { visibility }) };
    const like = q === undefined ? undefined : ILike(`%${q.replaceAll(/[\\%_]/g, '\\$&')}%`);
    const [rows, total] = await this.sites.findAndCount({
      where: like
        ? [
            { ...all, slug: like },
            { ...all, title: like },
          ]
        : all,
      order: orderBy(sort),
      ...skipAndTake(query),
    });
    const live = await this.deploys.findBy({ deployId: In(rows.flatMap(({ deployId }) => deployId ?? [])) });
    const deployOf = new Map(live.map((deploy) => [deploy.deployId, deploy]));
    const active = await this.domains.find({
      where: { siteId: In(rows.map(({ siteId }) => siteId)), status: 'active' },
      order: { hostname: 'asc' },
    });
    const domainsOf = Map.groupBy(active, ({ siteId }) => siteId);
    const items = rows.map((row) => {
      const deploy = deployOf.get(row.deployId ?? '');
      return {
        slug: row.slug,
        url: this.urls.site(row.slug),
        title: row.title,
        role: roleOf.get(row.siteId) ?? ('viewer' as const),
        visibility: row.visibility,
        deployId: row.deployId,
        files: deploy?.files ?? 0,
        bytes: Number(deploy?.bytes ?? 0),
        updatedAt: row.updatedAt.toISOString(),
        domains: (domainsOf.get(row.siteId) ?? []).map(({ hostname }) => hostname),
        source: deploy?.source ?? null,
      };
    });
    return { items, page: query.page, limit: query.limit, total };
  }
}

/** Sites with equal sort keys are listed newest first. */
function orderBy(sort: z.output<typeof MySitesQuery>['sort']) {
  const direction = sort.startsWith('-') ? ('desc' as const) : ('asc' as const);
  return { [sort.replace('-', '')]: direction, siteId: 'desc' as const };
}

const sitesPage = ({ items, total, page, limit }: z.output<typeof MySites>, stopped: readonly JobRow[]) =>
  webPage(
    'Your sites',
    html`${stoppedJobsNotice(stopped)}${
      items.length === 0
        ? html`<p>You have no sites yet. Deploy one while you are signed in, or claim a site that you published without an account.</p>`
        : html`<ul class="sites">${items.map(
            ({ slug, url, title, role, updatedAt }) =>
              html`<li><a href="${url}">${title || slug}</a> <span>${role}</span> <time datetime="${updatedAt}">${updatedAt.slice(0, 10)}</time></li>`,
          )}</ul>`
    }
${total > page * limit ? html`<p><a href="/sites?page=${page + 1}&limit=${limit}">More</a></p>` : null}
<p class="soft"><a href="/programs">Connected apps</a> · <a href="/tokens">Access tokens</a></p>
<form method="post" action="/v1/auth/logout"><button class="quiet">Sign out</button></form>`,
  );

const tool = mcpTool({
  name: 'list_sites',
  title: 'List your sites',
  description: 'Lists the sites on which the signed-in user has a role, most recently updated first. Requires sign-in.',
  scope: 'read',
  needs: 'person',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: { method: 'GET', path: '/v1/me/sites', query: MySitesQuery },
  answer: MySites,
  say: ({ items, total }) =>
    total === 0
      ? 'No sites.'
      : `${plural(total, 'site')}; this page lists ${items.map(({ slug }) => slug).join(', ')}.`,
});

const signIn = mcpTool({
  name: 'sign_in',
  title: 'Sign the user in',
  description:
    'Starts sign-in in the user’s MCP client, unless the user is already signed in. Call it before you work with sites that belong to the user. Without it, you can publish sites, and change those whose `editToken` you have.',
  scope: 'read',
  requests: ['read', 'publish'],
  needs: 'person',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: { method: 'GET', path: '/v1/me/sites?limit=1' },
  answer: MySites,
  say: ({ total }) => `The user is signed in and has a role on ${plural(total, 'site')}.`,
});

export const mySites: Feature = { routes: [MySitesController], providers: [JobStopper], tools: [tool, signIn] };
