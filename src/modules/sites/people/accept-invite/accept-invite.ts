import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { MailedLink } from '../../../../accounts/people/mailed-links.js';
import { People, type Person } from '../../../../accounts/people/people.js';
import { Route } from '../../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../../edge/http/api/service-urls.js';
import { siteRelatedHeaders } from '../../../../edge/http/api/site-headers.js';
import { MagicLink } from '../../../../edge/http/auth/links/magic-link.js';
import { HOME, LoginCompletion } from '../../../../edge/http/auth/login-completion.js';
import { toPersonResponse, User } from '../../../../edge/http/auth/person-response.js';
import { SessionStart } from '../../../../edge/http/auth/session-start.js';
import { rates } from '../../../../edge/http/limits/rates.js';
import { wantsPage } from '../../../../edge/http/pages/web-page.js';
import { Ids } from '../../../../kernel/ids.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Feature } from '../../../../nest/features.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { ACCEPT } from '../invite/invite-handler.js';
import { InviteStore } from '../invite/invites.js';
import { RoleField } from '../members/roles.js';
import { assertOpen, decideAccept } from './accept-invite.decide.js';
import { invitePage } from './accept-invite.page.js';

const Token = z.object({ token: z.string().max(2_000).meta({ description: 'Token from the link in the email.' }) });

const Joined = z
  .object({
    slug: z.string(),
    memberId: z.string(),
    role: RoleField,
    user: User,
    joinedAt: z.string(),
    token: z
      .string()
      .meta({ description: 'Session token for API clients, sent as `Authorization: Bearer …`. Shown only once.' }),
  })
  .meta({ id: 'Joined', description: 'The invited user, who is now a member of the site and signed in.' });

export class AcceptInvite extends SiteCommand(decideAccept) {}

/**
 * An invite is bound to the address that it was sent to. A visitor who opens its link can read mail at that address,
 * and is signed in as the user with that address. If the browser is signed in as another user, that session gains no
 * rights and stays valid. However, a browser has only one session cookie, so it switches to the invited user's session.
 * The page says so beforehand.
 */
@ApiTags('Sharing')
@Controller(ACCEPT.slice(1))
class AcceptInviteController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly magicLink: MagicLink,
    private readonly sessionStart: SessionStart,
    private readonly loginCompletion: LoginCompletion,
    private readonly invites: InviteStore,
    private readonly people: People,
    private readonly ids: Ids,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Accept an invite with the link from the email',
    description:
      'Signs in the user whose address the invite was sent to, even if someone else was signed in. The link works once; browsers get a confirmation page first. Users who have become members in the meantime keep the higher of the two roles.',
  })
  @ApiResponse({
    status: 200,
    standardSchema: Joined,
    description: 'The user is now a member of the site and is signed in.',
  })
  @Route({ problemPages: true, rate: rates.tokenTries })
  @Get()
  acceptInvite(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query({ schema: Token }) { token }: z.output<typeof Token>,
  ) {
    return this.#open(request, reply, token);
  }

  @ApiOperation({ summary: 'Accept an invite from its confirmation page' })
  @ApiResponse({
    status: 200,
    standardSchema: Joined,
    description: 'The user is now a member of the site and is signed in.',
  })
  @Route({ form: true, problemPages: true, rate: rates.tokenTries })
  @Post()
  @HttpCode(200)
  acceptInviteByButton(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body({ schema: Token }) { token }: z.output<typeof Token>,
  ) {
    return this.#open(request, reply, token);
  }

  async #open(request: FastifyRequest, reply: FastifyReply, token: string) {
    const page = await this.#confirmationPage(request, await this.magicLink.peek('invite', token));
    return this.magicLink.open(request, reply, token, page, (link) => this.#opened(request, reply, link));
  }

  async #opened(request: FastifyRequest, reply: FastifyReply, link: MailedLink) {
    const person = await this.loginCompletion.personOf(link.email);
    const { joined, outcome } = await this.#accept(link, person);
    const signedIn = await this.sessionStart.begin(request, reply, person, link.id);
    void reply.headers(siteRelatedHeaders(outcome));
    const answer: z.output<typeof Joined> = { ...joined, token: signedIn.token };
    return () => (wantsPage(request) ? reply.redirect(HOME, 303) : reply.send(answer));
  }

  /**
   * Returns the page that asks the visitor to accept the invite. Refuses an invalid invite before its link is used up.
   */
  async #confirmationPage({ session }: FastifyRequest, { email, about }: MailedLink) {
    const { siteId = '', inviteId = '', invitedBy = '' } = about;
    const { state } = await this.directory.stateOf(siteId);
    const invited = await this.people.findByEmail(email);
    const asked = { at: new Date().toISOString(), inviteId, userId: invited?.userId ?? null };
    const { slug, role } = assertOpen(state, asked);
    const known = await this.people.findAll([invitedBy, ...(session ? [session.userId] : [])]);
    const here = session && known.get(session.userId)?.email;
    return invitePage({
      slug,
      url: this.urls.site(slug),
      role,
      email,
      inviter: known.get(invitedBy)?.email ?? null,
      signedInAs: here && here !== email ? here : null,
    });
  }

  async #accept({ about }: MailedLink, person: Person) {
    const { siteId = '', inviteId = '' } = about;
    const { userId } = person;
    const at = new Date().toISOString();
    const context = { at, caller: { editTokenHash: null, userId } };
    const command = new AcceptInvite({ context, siteId, inviteId, memberId: this.ids.make('mem'), userId });
    const outcome = await this.commands.execute(command);
    await this.invites.drop([inviteId]);
    const { state } = outcome;
    const member = state.status === 'live' ? state.members[userId] : undefined;
    if (state.status !== 'live' || !member) return refuse('site_expired');
    const joined = { slug: state.slug, ...member, user: toPersonResponse(person), joinedAt: at };
    return { joined, outcome };
  }
}

export const acceptInvite: Feature = { routes: [AcceptInviteController] };
