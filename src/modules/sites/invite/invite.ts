import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { FastifyReply } from 'fastify';
import { MoreThan, type Repository } from 'typeorm';
import { z } from 'zod';
import { ReadYourWrites } from '../../../http/api/read-your-writes.js';
import { Route } from '../../../http/api/route-options.js';
import { PageQuery, pageOf, skipAndTake } from '../../../http/api/schemas/pagination.js';
import { siteRelatedHeaders } from '../../../http/api/site-headers.js';
import { Context } from '../../../http/auth/context.js';
import { Email } from '../../../http/auth/person-answer.js';
import { rates } from '../../../http/limits/rates.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { agentTool } from '../../../process/nest/agent-tool.js';
import type { Feature } from '../../../process/nest/features.js';
import { MembershipRow } from '../../../projections/models/member.projection.js';
import { Invites } from '../../../tables/people/invites.js';
import { MailedLinks } from '../../../tables/people/mailed-links.js';
import { RoleField } from '../members/roles.js';
import { assertCanManage } from '../site/assert-access.decide.js';
import { SiteCommand } from '../site/site-command.js';
import { SiteDirectory } from '../site/site-directory.js';
import { decideRevoke } from './invite.decide.js';
import { Inviting } from './inviting.js';

const Invitation = z.strictObject({ email: Email, role: RoleField });
const Which = z.object({ id: z.string().min(1).max(100).meta({ description: 'Of the invite: `inv_…`.' }) });

const Invite = z
  .object({
    id: z.string(),
    email: z
      .string()
      .nullable()
      .meta({ description: 'Whom it went to, lower-cased; null once the address was erased.' }),
    role: RoleField,
    invitedBy: z.string().nullable().meta({ description: 'The id of the owner who sent it.' }),
    createdAt: z.string(),
    expiresAt: z.string(),
  })
  .meta({ id: 'Invite' });

const InviteList = pageOf(Invite).meta({ id: 'Invites' });

export class RevokeInvite extends SiteCommand(decideRevoke) {}

@ApiTags('Sharing')
@Controller('v1/sites/:slug/invites')
class InviteController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
    @Inject(Inviting) private readonly inviting: Inviting,
    @Inject(Invites) private readonly invites: Invites,
    @Inject(MailedLinks) private readonly links: MailedLinks,
    @InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>,
  ) {}

  @ApiOperation({
    summary: 'Invite a person by mail',
    description:
      'For owners. The mail carries a link that works once, for seven days. Inviting an address again takes the place of the invite before: a new link, a new week, the role that was asked for last. A person who is a member already is not invited; `PATCH …/members/{id}` changes their role.',
  })
  @ApiResponse({ status: 201, standardSchema: Invite, description: 'The mail is on its way.' })
  @Route({ rate: rates.invites })
  @Post()
  @HttpCode(201)
  async inviteMember(
    @Param('slug') slug: string,
    @Body({ schema: Invitation }) { email, role }: z.output<typeof Invitation>,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof Invite>> {
    const { siteId, state } = await this.directory.get(slug, context.at);
    assertCanManage(state, context);
    const { inviteId, expiresAt, outcome } = await this.inviting.invite(reply, context, { siteId, email, role });
    void reply.headers(siteRelatedHeaders(outcome));
    return {
      id: inviteId,
      email: email.toLowerCase(),
      role,
      invitedBy: context.caller.userId,
      createdAt: context.at,
      expiresAt,
    };
  }

  @ApiOperation({ summary: 'The open invites of a site, newest first', description: 'For owners.' })
  @ApiResponse({ status: 200, standardSchema: InviteList, description: 'One page of invites.' })
  @ReadYourWrites()
  @Get()
  async listInvites(
    @Param('slug') slug: string,
    @Query({ schema: PageQuery }) query: z.output<typeof PageQuery>,
    @Context() context: CommandContext,
  ): Promise<z.output<typeof InviteList>> {
    const { siteId, state } = await this.directory.get(slug, context.at);
    assertCanManage(state, context);
    const [rows, total] = await this.memberships.findAndCount({
      where: { siteId, kind: 'invite', expiresAt: MoreThan(new Date(context.at)) },
      order: { since: 'desc', id: 'desc' },
      ...skipAndTake(query),
    });
    const emails = await this.invites.emailsOf(rows.map(({ id }) => id));
    const items = rows.map(({ id, role, invitedBy, since, expiresAt }) => ({
      id,
      email: emails.get(id) ?? null,
      role,
      invitedBy,
      createdAt: since.toISOString(),
      expiresAt: (expiresAt ?? since).toISOString(),
    }));
    return { items, page: query.page, limit: query.limit, total };
  }

  @ApiOperation({ summary: 'Revoke an invite', description: 'For owners. Its link stops working at once.' })
  @ApiResponse({ status: 204, description: 'It is void.' })
  @Delete()
  @HttpCode(204)
  async revokeInvite(
    @Param('slug') slug: string,
    @Query({ schema: Which }) { id }: z.output<typeof Which>,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { siteId } = await this.directory.get(slug, context.at);
    const outcome = await this.commands.execute(new RevokeInvite({ context, siteId, inviteId: id }));
    await this.links.revoke('invite', id);
    await this.invites.drop([id]);
    void reply.headers(siteRelatedHeaders(outcome));
  }
}

const tool = agentTool({
  name: 'invite_member',
  title: 'Invite somebody to a site by mail',
  description:
    'Sends a mail with a link that works once, for seven days. `role` is `owner`, `editor` or `viewer`. Inviting an address again takes the place of its open invite. For owners.',
  scope: 'manage',
  needs: 'person',
  effect: 'adds',
  isIdempotent: false,
  reachesOut: true,
  route: { method: 'POST', path: '/v1/sites/:slug/invites', body: Invitation },
  answer: Invite,
  say: ({ email, role, expiresAt }) => `${email} was invited as ${role}; the link works until ${expiresAt}.`,
});

export const invite: Feature = {
  routes: [InviteController],
  tools: [tool],
  providers: [Inviting],
};
