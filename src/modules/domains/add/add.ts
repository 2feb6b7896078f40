import { randomBytes } from 'node:crypto';
import { Body, Controller, Param, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ApiLinks, domainLinks } from '../../../edge/http/api/description/api-links.js';
import { ApiAccess, ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { siteRelatedHeaders } from '../../../edge/http/api/site-headers.js';
import { Context } from '../../../edge/http/auth/context.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { domainStream, type HostnameEvent } from '../../../events/domain.events.js';
import { bySystem, type CommandContext } from '../../../kernel/command-context.js';
import { KeyedMutex } from '../../../kernel/concurrency/keyed-mutex.js';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { Refusal } from '../../../kernel/refusal.js';
import { siteNotFound } from '../../../kernel/rights/site-access.js';
import { Transactions } from '../../../kernel/transactions.js';
import type { Feature } from '../../../nest/features.js';
import { mcpTool } from '../../../nest/mcp-tool.js';
import { SiteAccess, type SiteView } from '../../sites/api/site-access.js';
import { domain, findActiveSite } from '../domain.state.js';
import { DomainCommand } from '../domain-command.js';
import { DomainReader } from '../domain-reader.js';
import { Domain } from '../domain-response.js';
import { after, PENDING_MS } from '../domain-times.js';
import { HOSTNAME, ownNames, parseHostname } from '../hostname/hostname.js';
import { ReleaseDomain } from '../remove/release-domain.js';
import { DomainTrail } from '../trail/domain-trail.js';
import { decideAdd } from './add.decide.js';
import { FirstChecks } from './first-checks.js';
import { decideMove } from './move.decide.js';
import { assertDomainQuota, assertRedirect, parseRedirect } from './site-limits.js';

const AddBody = z.strictObject({
  hostname: z
    .string()
    .min(1)
    .meta({ description: 'Hostname, such as `www.example.com` or `münchen.de`.', pattern: HOSTNAME }),
  redirectTo: z.string().min(1).meta({ pattern: HOSTNAME }).nullable().optional().meta({
    description:
      'Another of the site’s domains, to which visitors are redirected, such as `example.com` for `www.example.com`. Null removes the redirect.',
  }),
  from: z.string().min(1).optional().meta({
    description:
      'Slug of another of your sites that currently has the domain. The domain is moved from that site without interruption.',
  }),
});

const AddedDomain = Domain.extend({
  pair: z.string().nullable().meta({
    description:
      'The same hostname with `www.` added or removed, or null. Visitors are likely to try it too, so add it with `redirectTo`.',
  }),
}).meta({ id: 'AddedDomain' });

export class AddDomain extends DomainCommand(decideAdd) {}

export class MoveDomain extends DomainCommand(decideMove) {}

@ApiTags('Domains')
@Controller('v1/sites/:slug/domains')
class AddDomainController {
  readonly #ofOneSite = new KeyedMutex();

  constructor(
    private readonly commands: CommandBus,
    private readonly transactions: Transactions,
    private readonly sites: SiteAccess,
    private readonly firstChecks: FirstChecks,
    private readonly trail: DomainTrail,
    private readonly reader: DomainReader,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Add a custom domain to a site',
    description:
      'Returns the DNS records to set. The service checks them at increasing intervals, and immediately when you POST to the domain. Once both records are found, the domain serves the site. Several sites can request the same domain; it goes to the site whose TXT record is found. Adding a pending or active domain again returns the same records.',
  })
  @ApiResponse({ status: 201, standardSchema: AddedDomain, description: 'The domain and the DNS records to set.' })
  @Route({ rate: rates.domains })
  @ApiProblems('domain_taken', 'quota_exceeded')
  @ApiLinks(...domainLinks)
  @ApiAccess('session')
  @Post()
  async addDomain(
    @Param('slug') slug: string,
    @Body({ schema: AddBody }) body: z.output<typeof AddBody>,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof AddedDomain>> {
    const ours = ownNames(this.urls);
    const { hostname, pair } = parseHostname(body.hostname, ours);
    const redirectTo = body.redirectTo ? parseRedirect(body.redirectTo, ours) : body.redirectTo;
    const { siteId } = await this.sites.getManaged(slug, context);
    // Add the domains of a site one at a time, so that each check of the limit counts the domains added before.
    return this.#ofOneSite.run(siteId, async () => {
      const site = await this.sites.getManaged(slug, context);
      assertDomainQuota(site, hostname);
      if (redirectTo) assertRedirect(site, hostname, redirectTo);

      const events: HostnameEvent[] = [];
      if (body.from !== undefined) events.push(...(await this.#move(hostname, site, body.from, context)));
      if (body.from === undefined || redirectTo !== undefined)
        events.push(...(await this.#add(hostname, site, redirectTo, context)));
      if (events.some(({ type }) => type !== 'DomainChanged'))
        await this.firstChecks.schedule({ hostname, siteId: site.siteId });
      const told = await this.trail.tell(hostname, events, site.siteId);
      if (told) void reply.headers(siteRelatedHeaders(told));
      return { ...(await this.reader.fromLog(hostname, site)), pair };
    });
  }

  async #move(hostname: string, { siteId }: SiteView, from: string, context: CommandContext) {
    const former = await this.sites.getManaged(from, context).catch((error: unknown) => {
      // Without a detail, the HTTP layer would name the site in the URL.
      throw error instanceof Refusal && error.code === 'site_not_found' ? siteNotFound(from.slice(0, 63)) : error;
    });
    if (former.siteId === siteId) return refuseInvalid({ path: 'from', message: 'must name a different site' });
    const { events } = await this.commands.execute(new MoveDomain({ context, hostname, siteId, from: former.siteId }));
    return events;
  }

  async #add(hostname: string, { siteId }: SiteView, redirectTo: string | null | undefined, context: CommandContext) {
    await this.#releaseFromNobody(hostname);
    const until = after(context.at, PENDING_MS);
    const token = randomBytes(16).toString('hex');
    const command = new AddDomain({ context, hostname, siteId, token, until, redirectTo });
    return (await this.commands.execute(command)).events;
  }

  /** Releases a hostname if the site that has it no longer exists. */
  async #releaseFromNobody(hostname: string) {
    const { state } = await this.transactions.state(domainStream(hostname), domain);
    const siteId = findActiveSite(state);
    if (siteId === null || (await this.sites.find(siteId))) return;
    await this.commands.execute(new ReleaseDomain({ context: bySystem(new Date().toISOString()), hostname, siteId }));
  }
}

const tool = mcpTool({
  name: 'add_domain',
  title: 'Add a custom domain to a site',
  description:
    'Returns the two DNS records that the domain owner must set (`verification` and `target`). Once both are found, the domain serves the site. Adding a pending or active domain again returns the same records. With `from`, the domain is moved from another of the user’s sites. Owners only.',
  scope: 'manage',
  needs: 'person',
  effect: 'replaces',
  isIdempotent: true,
  reachesOut: true,
  route: { method: 'POST', path: '/v1/sites/:slug/domains', body: AddBody },
  answer: AddedDomain,
  say: ({ hostname, status, verification, target }) =>
    status === 'active'
      ? `${hostname} shows the site.`
      : `${hostname} is ${status}. Set these DNS records: TXT ${verification.name} "${verification.value}" and CNAME ${target.name} ${target.value}.`,
});

export const addDomain: Feature = { routes: [AddDomainController], tools: [tool] };
