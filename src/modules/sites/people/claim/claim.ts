import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { MailedLink } from '../../../../accounts/people/mailed-links.js';
import { People, type Person } from '../../../../accounts/people/people.js';
import type { Session } from '../../../../accounts/people/sessions.js';
import { html, type Markup } from '../../../../edge/browser/markup.js';
import { ApiLinks, linksOnReturnedSite } from '../../../../edge/http/api/description/api-links.js';
import { ApiProblems } from '../../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../../edge/http/api/service-urls.js';
import { siteRelatedHeaders } from '../../../../edge/http/api/site-headers.js';
import { RequireSession } from '../../../../edge/http/auth/context.js';
import { type ConfirmationPage, MagicLink } from '../../../../edge/http/auth/links/magic-link.js';
import { LoginCompletion } from '../../../../edge/http/auth/login-completion.js';
import { Email, toPersonResponse, User } from '../../../../edge/http/auth/person-response.js';
import { hashSecret } from '../../../../edge/http/auth/secrets.js';
import { SessionStart } from '../../../../edge/http/auth/session-start.js';
import { RateLimits } from '../../../../edge/http/limits/rate-limits.js';
import { rates } from '../../../../edge/http/limits/rates.js';
import { takeRate } from '../../../../edge/http/limits/take-rate.js';
import { sendPage, wantsPage, webPage } from '../../../../edge/http/pages/web-page.js';
import { type SiteEvent, siteStream } from '../../../../events/site/site.events.js';
import { EventStore, type Recorded } from '../../../../kernel/event-store.js';
import { Ids } from '../../../../kernel/ids.js';
import { Mail } from '../../../../kernel/ports/outside/mail.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Feature } from '../../../../nest/features.js';
import { mcpTool } from '../../../../nest/mcp-tool.js';
import { ClaimedSiteJobs } from '../../api/claimed-site-jobs.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { assertClaimable, decideClaim } from './claim.decide.js';
import { claimMail } from './claim.mail.js';

/** Lifetime of the link that claims a site, in seconds. Sign-in links have the same lifetime. */
const SECONDS = 600;

const VERIFY = '/v1/claim/verify';
const SITES = '/sites';

const slug = z.string().max(64);
const editToken = z.string().min(1).max(200);
const Starting = z.strictObject({ slug, email: Email, editToken });
const Showing = z.strictObject({ slug, editToken });
const Token = z.object({ token: z.string().max(2_000).meta({ description: 'Token from the link in the email.' }) });

const Started = z
  .object({
    status: z.literal('sent'),
    email: z.string().meta({ description: 'Masked email address, such as `a•••@example.org`.' }),
    expiresAt: z.string(),
  })
  .meta({ id: 'ClaimStarted' });
const Claimed = z
  .object({
    slug: z.string(),
    user: User,
    claimedAt: z.string(),
    stoppedJobs: z.array(z.string()).optional().meta({
      description:
        'IDs of jobs that were started with the edit token and have been stopped, oldest first. To repeat the last one: POST /v1/sites/{slug}/rerun.',
    }),
  })
  .meta({ id: 'Claimed', description: 'The claimed site, which no longer expires. Its edit token no longer works.' });
const ClaimedByMail = Claimed.extend({
  token: z
    .string()
    .meta({ description: 'Session token for API clients, sent as `Authorization: Bearer …`. Shown only once.' }),
}).meta({ id: 'ClaimedByMail' });

export class ClaimSite extends SiteCommand(decideClaim) {}

@ApiTags('Claim')
@Controller('v1/claim')
class ClaimController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly magicLink: MagicLink,
    private readonly sessionStart: SessionStart,
    private readonly loginCompletion: LoginCompletion,
    private readonly people: People,
    private readonly mail: Mail,
    private readonly limits: RateLimits,
    private readonly ids: Ids,
    private readonly urls: ServiceUrls,
    private readonly store: EventStore,
    private readonly siteJobs: ClaimedSiteJobs,
  ) {}

  @ApiProblems('already_claimed', 'edit_token_invalid', 'site_not_found', 'site_expired')
  @ApiOperation({ summary: 'Request a link by email to claim an anonymous site' })
  @ApiResponse({ status: 200, standardSchema: Started, description: 'The link has been sent.' })
  @Route({ form: true, problemPages: true, rate: rates.signInsOfAddress })
  @Post('start')
  @HttpCode(200)
  async startClaim(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body({ schema: Starting }) { slug, email, editToken }: z.output<typeof Starting>,
  ) {
    const at = new Date().toISOString();
    const editTokenHash = hashSecret(editToken);
    const { siteId, state } = await this.directory.get(slug, at);
    assertClaimable(state, { at, editTokenHash });
    const link = { purpose: 'claim' as const, email, about: { siteId, editTokenHash }, seconds: SECONDS };
    const counted = hashSecret(email.toLowerCase());
    const expiresAt = await takeRate(reply, this.limits, rates.signInMails, counted, async () => {
      const made = await this.magicLink.make(request, reply, VERIFY, link);
      await this.mail.send(claimMail(email, slug, made.href));
      return made.expiresAt;
    });
    if (wantsPage(request)) return sendPage(request, reply, this.urls.baseUrl, sentPage(slug, email));
    const answer: z.output<typeof Started> = { status: 'sent', email: shortened(email), expiresAt };
    return reply.send(answer);
  }

  @ApiOperation({
    summary: 'Claim a site with the link from the email',
    description: 'Also signs you in. The link works once.',
  })
  @ApiResponse({ status: 200, standardSchema: ClaimedByMail, description: 'The site has been claimed.' })
  @ApiProblems('already_claimed', 'site_not_found', 'site_expired', 'taken_down')
  @Route({ problemPages: true, rate: rates.tokenTries })
  @Get('verify')
  verifyClaim(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query({ schema: Token }) { token }: z.output<typeof Token>,
  ) {
    return this.#open(request, reply, token);
  }

  @ApiProblems('already_claimed', 'site_not_found', 'site_expired', 'taken_down')
  @ApiOperation({ summary: 'Claim a site from its confirmation page' })
  @ApiResponse({ status: 200, standardSchema: ClaimedByMail, description: 'The site has been claimed.' })
  @Route({ form: true, problemPages: true, rate: rates.tokenTries })
  @Post('verify')
  @HttpCode(200)
  verifyClaimByButton(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body({ schema: Token }) { token }: z.output<typeof Token>,
  ) {
    return this.#open(request, reply, token);
  }

  @ApiProblems('already_claimed', 'edit_token_invalid', 'site_not_found', 'site_expired')
  @ApiOperation({ summary: 'Claim a site as the signed-in user' })
  @ApiResponse({ status: 200, standardSchema: Claimed, description: 'The site has been claimed.' })
  @Route({ form: true, problemPages: true, rate: rates.tokenTries })
  @ApiLinks(...linksOnReturnedSite('getSite', 'listMembers', 'rerun'))
  @Post('session')
  @HttpCode(200)
  async claimBySession(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @RequireSession() { userId }: Session,
    @Body({ schema: Showing }) { slug, editToken }: z.output<typeof Showing>,
  ) {
    const { siteId } = await this.directory.get(slug, new Date().toISOString());
    const person = (await this.people.find(userId)) ?? refuse('unauthenticated', 'This account no longer exists.');
    const { claimed, outcome } = await this.#claim(siteId, hashSecret(editToken), person);
    void reply.headers(siteRelatedHeaders(outcome));
    return wantsPage(request) ? reply.redirect(SITES, 303) : reply.send(claimed);
  }

  #open(request: FastifyRequest, reply: FastifyReply, token: string) {
    const page: ConfirmationPage = {
      purpose: 'claim',
      path: VERIFY,
      title: 'Claim your site',
      text: (mailed) => this.#confirmation(mailed),
      button: 'Claim the site',
    };
    return this.magicLink.open(request, reply, token, page, (link) => this.#opened(request, reply, link));
  }

  async #opened(request: FastifyRequest, reply: FastifyReply, { id, about, email }: MailedLink) {
    const { siteId = '', editTokenHash = '' } = about;
    const person = await this.loginCompletion.personOf(email);
    const { claimed, outcome } = await this.#claim(siteId, editTokenHash, person);
    const signedIn = await this.sessionStart.begin(request, reply, person, id);
    void reply.headers(siteRelatedHeaders(outcome));
    const answer: z.output<typeof ClaimedByMail> = { ...claimed, token: signedIn.token };
    return () => (wantsPage(request) ? reply.redirect(SITES, 303) : reply.send(answer));
  }

  async #confirmation({ email, about: { siteId = '' } }: MailedLink): Promise<Markup> {
    const { state } = await this.directory.stateOf(siteId);
    const url = state.status === 'live' ? this.urls.site(state.slug) : null;
    return html`<p>Claiming makes <strong>${email}</strong> the owner of ${url === null ? 'the site' : html`<strong>${url}</strong>`} and signs you in. The site’s edit token will stop working.</p>`;
  }

  async #claim(siteId: string, editTokenHash: string, person: Person) {
    const { userId } = person;
    const at = new Date().toISOString();
    const context = { at, caller: { editTokenHash: null, userId } };
    const command = new ClaimSite({ context, siteId, editTokenHash, memberId: this.ids.make('mem'), userId });
    const outcome = await this.commands.execute(command);
    if (outcome.state.status !== 'live') return refuse('site_expired');
    const stoppedJobs = await this.siteJobs.stopAfterClaim(siteId, outcome.position ?? 0n);
    const claimed: z.output<typeof Claimed> = {
      slug: outcome.state.slug,
      user: toPersonResponse(person),
      claimedAt: outcome.events[0]?.at ?? (await this.#claimedAt(siteId, userId)) ?? at,
      ...(stoppedJobs.length > 0 && { stoppedJobs: [...stoppedJobs] }),
    };
    return { claimed, outcome };
  }

  /** Reads the time of the claim from the log, because the site's state does not include it. */
  async #claimedAt(siteId: string, userId: string): Promise<string | undefined> {
    const { events } = await this.store.read(siteStream(siteId));
    const became = (events as Recorded<SiteEvent>[]).findLast(
      ({ type, data }) => (type === 'SiteClaimed' || type === 'MemberAdded') && data.userId === userId,
    );
    return became?.at;
  }
}

/** Shortens an address, for example to `a•••@example.org`. */
const shortened = (email: string) => `${email.slice(0, 1)}•••${email.slice(email.lastIndexOf('@'))}`;

const sentPage = (slug: string, email: string) =>
  webPage(
    'Check your inbox',
    html`<p>To claim <strong>${slug}</strong>, open the link we sent to <strong>${email}</strong>. It works once and expires in ten minutes.</p>`,
  );

const tool = mcpTool({
  name: 'start_claim',
  title: 'Send a link to claim an anonymous site',
  description:
    'Sends the user a link by email. Opening it makes them the owner of the site, invalidates its edit token and cancels its expiry. Ask the user for their email address first. Alternatively, give them the `claimUrl` from the deploy response to open.',
  scope: 'publish',
  needs: 'nobody',
  effect: 'adds',
  isIdempotent: false,
  reachesOut: true,
  route: { method: 'POST', path: '/v1/claim/start', body: Starting },
  answer: Started,
  say: ({ email, expiresAt }) => `A link was sent to ${email}. It works once and expires at ${expiresAt}.`,
});

export const claim: Feature = { routes: [ClaimController], tools: [tool] };
