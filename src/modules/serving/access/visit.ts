import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { People } from '../../../accounts/people/people.js';
import { html } from '../../../edge/browser/markup.js';
import { ownOriginCheck } from '../../../edge/http/api/csrf.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { ReturnCookie } from '../../../edge/http/auth/cookies/return-cookie.js';
import { sendPage, webPage } from '../../../edge/http/pages/web-page.js';
import { type HostKind, hostClassifier } from '../../../edge/http/server/hosts/hosts.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { PreviewCache } from '../sites/previews.js';
import type { ServedSite } from '../sites/served-site.js';
import { ServingIndex } from '../sites/serving-index.js';
import { pathOnSite } from './path-on-site.js';
import { VISIT } from './visit-path.js';
import { Visitors } from './visitors.js';

const Wanted = z.object({
  /**
   * Identifies the site by a custom domain, or by the first label of the hostname of the site or one of its deploys.
   * Only custom domains contain a dot.
   */
  at: z
    .string()
    .regex(/^[a-z0-9.-]{1,253}$/, { error: 'must be the first label of a site’s host, or a site’s domain' }),
  to: z.string().optional(),
});

/**
 * Redirects signed-in members to a site, with a ticket (docs/interface/sites.md, "Private sites on their own hosts").
 * Never redirects to a host that does not belong to a site.
 */
@ApiExcludeController()
@Controller(VISIT.slice(1))
class VisitController {
  readonly #destination: (host: string) => HostKind;
  readonly #return: ReturnCookie;
  readonly #isOurs: ReturnType<typeof ownOriginCheck>;

  constructor(
    private readonly index: ServingIndex,
    private readonly previews: PreviewCache,
    private readonly visitors: Visitors,
    private readonly people: People,
    private readonly urls: ServiceUrls,
  ) {
    this.#destination = hostClassifier(urls);
    this.#return = new ReturnCookie(urls.baseUrl);
    this.#isOurs = ownOriginCheck(urls.baseUrl);
  }

  @Route({ page: true, problemPages: true })
  @Get()
  async visit(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query({ schema: Wanted }) { at, to }: z.output<typeof Wanted>,
  ) {
    const site = (await this.#siteAt(at)) ?? refuse('site_not_found', `There is no site at “${at}”.`);
    const path = pathOnSite(to);
    const { origin, host } = new URL(isDomain(at) ? this.urls.domain(at) : this.urls.host(at));
    // If visitors don't have to be members, redirect them without a ticket. The site's host then checks their access.
    if (site.visibility !== 'members') return this.#goOn(request, reply, host, origin + path);

    const { session } = request;
    if (!session) {
      this.#return.set(reply, `${VISIT}?at=${at}&to=${encodeURIComponent(path)}`);
      return reply.redirect('/sign-in', 303);
    }
    if (!site.members.has(session.userId)) {
      const person = await this.people.find(session.userId);
      const page = strangerPage(host, person?.email ?? '');
      return sendPage(request, reply, this.urls.baseUrl, page, 403);
    }
    const ticket = this.visitors.ticketFor(site, host, session, path);
    return this.#goOn(request, reply, host, `${origin}/.stele/enter?ticket=${ticket}`);
  }

  async #siteAt(label: string): Promise<ServedSite | undefined> {
    if (isDomain(label)) return this.index.siteOn(label);
    const destination = this.#destination(`${label}.${this.urls.siteDomain}`);
    if (destination.kind === 'site') return this.index.site(destination.slug);
    const preview = destination.kind === 'preview' ? await this.previews.find(destination.deployId) : null;
    const site = preview ? this.index.siteById(preview.siteId) : undefined;
    // The server of an earlier deploy is started only for members, not for every visitor who knows its URL.
    return site && preview?.program ? { ...site, visibility: 'members' } : site;
  }

  /**
   * The `form-action` policy of the service's own forms would block a redirect to another host (docs/trials.md,
   * "Untrusted pages beside an API"), so visitors who come from a form get a page that redirects by itself.
   */
  #goOn(request: FastifyRequest, reply: FastifyReply, host: string, url: string) {
    if (!this.#comesFromOurPage(request)) return reply.redirect(url, 303);
    void reply.header('refresh', `0; url=${url}`);
    return sendPage(request, reply, this.urls.baseUrl, goingOnPage(host, url));
  }

  #comesFromOurPage({ headers }: FastifyRequest): boolean {
    const site = headers['sec-fetch-site'];
    if (site !== undefined) return site === 'same-origin';
    const origin = headers.referer && URL.parse(headers.referer)?.origin;
    return origin ? this.#isOurs({ origin }) : false;
  }
}

const isDomain = (at: string) => at.includes('.');

const strangerPage = (host: string, email: string) =>
  webPage(
    'This site is for members only',
    html`<p>You are signed in as <strong>${email}</strong>, but this account is not a member of ${host}. An owner of the site can invite you.</p>
<form method="post" action="/v1/auth/logout"><button class="quiet">Sign out and use another account</button></form>`,
  );

const goingOnPage = (host: string, url: string) =>
  webPage('You are signed in', html`<p><a href="${url}">Continue to ${host}</a></p>`);

export const visit: Feature = { routes: [VisitController] };
