import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { People } from '../../../../accounts/people/people.js';
import { html, type Markup } from '../../../../edge/browser/markup.js';
import { Route } from '../../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../../edge/http/api/service-urls.js';
import { readCaller } from '../../../../edge/http/auth/context.js';
import { sendPage, webPage } from '../../../../edge/http/pages/web-page.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Feature } from '../../../../nest/features.js';
import { assertExists, isHiddenFromCaller } from '../../site/assert-access.rule.js';
import { SiteDirectory } from '../../site/site-directory.js';
import type { Site } from '../../site/state/site.state.js';

const SCRIPT = '/assets/claim.js';

/**
 * The page on which a user claims a site without an owner. The edit token is in the URL fragment, which browsers do not
 * send to servers.
 */
@ApiExcludeController()
@Controller()
class ClaimPages {
  constructor(
    private readonly directory: SiteDirectory,
    private readonly people: People,
    private readonly urls: ServiceUrls,
  ) {}

  @Route({ page: true, problemPages: true })
  @Get('claim/:slug')
  async claim(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('slug') slug: string) {
    const at = new Date().toISOString();
    const { state } = await this.directory.get(slug, at);
    if (isHiddenOf(state, request)) return refuse('site_not_found');
    const { editTokenHash } = assertExists(state, at);
    const page =
      editTokenHash === null
        ? webPage('This site already has an owner', html`<p><a href="${this.urls.site(slug)}">${slug}</a></p>`)
        : await this.#page(request, slug);
    return sendPage(request, reply, this.urls.baseUrl, page);
  }

  @Get('assets/claim.js')
  script(@Res() reply: FastifyReply) {
    return reply
      .headers({ 'cache-control': 'public, max-age=0, must-revalidate' })
      .type('text/javascript; charset=utf-8')
      .send(script);
  }

  async #page({ session }: FastifyRequest, slug: string) {
    const person = session && (await this.people.find(session.userId));
    return webPage(
      `Claim ${slug}`,
      html`<script src="${SCRIPT}"></script>
<p><a href="${this.urls.site(slug)}">${this.urls.site(slug)}</a> has no owner yet. Claim it to become its owner. It won’t expire, and its edit token will stop working.</p>
${person ? asPerson(slug, person.email) : byMail(slug)}
<noscript><p>This page needs JavaScript to read the edit token from its URL.</p></noscript>`,
    );
  }
}

/** Sites without an owner are never hidden here, because visitors claim them on this page. */
const isHiddenOf = (state: Site, request: FastifyRequest) =>
  state.status === 'live' && state.editTokenHash === null && isHiddenFromCaller(state, readCaller(request));

const tokenField = html`<label data-token>Edit token <input name="editToken" autocomplete="off" required></label>`;

const asPerson = (slug: string, email: string): Markup => html`<form method="post" action="/v1/claim/session">
<input type="hidden" name="slug" value="${slug}">
${tokenField}
<p>You are signed in as <strong>${email}</strong>.</p>
<button>Claim this site</button>
</form>`;

const byMail = (slug: string): Markup => html`<form method="post" action="/v1/claim/start">
<input type="hidden" name="slug" value="${slug}">
${tokenField}
<label>Email address <input type="email" name="email" autocomplete="email" required maxlength="254"></label>
<button>Send me a link</button>
</form>`;

/**
 * Before the page is shown, the script moves the token from the URL fragment to the tab's session storage. Otherwise,
 * the token would remain in the browser history and in copies of the URL.
 */
const script = `(() => {
  const kept = 'stele-claim ' + location.pathname;
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given) sessionStorage.setItem(kept, given);
  if (location.hash) history.replaceState(null, '', location.pathname);
  addEventListener('DOMContentLoaded', () => {
    const token = sessionStorage.getItem(kept);
    if (!token) return;
    for (const label of document.querySelectorAll('[data-token]')) {
      label.querySelector('input').value = token;
      label.hidden = true;
    }
  });
})();
`;

export const claimPage: Feature = { routes: [ClaimPages] };
