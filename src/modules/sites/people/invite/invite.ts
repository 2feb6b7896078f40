import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { FastifyReply } from 'fastify';
import { MoreThan, type Repository } from 'typeorm';
import { z } from 'zod';
import { MailedLinkStore } from '../../../../accounts/people/mailed-links.js';
import { ApiLinks, fromResponse, linksOnSameSite } from '../../../../edge/http/api/description/api-links.js';
import { ApiAccess, ApiProblems } from '../../../../edge/http/api/description/api-traits.js';
import { ReadYourWrites } from '../../../../edge/http/api/read-your-writes.js';
import { Route } from '../../../../edge/http/api/route-options.js';
import { buildPageSchema, PageQuery, skipAndTake } from '../../../../edge/http/api/schemas/pagination.js';
import { siteRelatedHeaders } from '../../../../edge/http/api/site-headers.js';
import { Context } from '../../../../edge/http/auth/context.js';
import { Email } from '../../../../edge/http/auth/person-response.js';
import { rates } from '../../../../edge/http/limits/rates.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import type { Feature } from '../../../../nest/features.js';
import { mcpTool } from '../../../../nest/mcp-tool.js';
import { MembershipRow } from '../../../../projections/models/member.projection.js';
import { assertCanManage } from '../../site/assert-access.rule.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { RoleField } from '../members/roles.js';
import { decideRevoke } from './invite.decide.js';
import { InviteHandler } from './invite-handler.js';
import { InviteStore } from './invites.js';

const Invitation = z.strictObject({ email: Email, role: RoleField });
const Which = z.object({ id: z.string().min(1).max(100).meta({ description: 'ID of the invite (`inv_…`).' }) });

const Invite = z
  .object({
    id: z.string(),
    email: z.string().nullable().meta({
      description: 'Email address that the invite was sent to, in lower case, or null if the address has been erased.',
    }),
    role: RoleField,
    invitedBy: z
      .string()
      .nullable()
      .meta({ description: 'User ID of the owner who sent the invite, or null if it was not recorded.' }),
    createdAt: z.string(),
    expiresAt: z.string(),
  })
  .meta({ id: 'Invite' });

const InviteList = buildPageSchema(Invite).meta({ id: 'Invites' });

export class RevokeInvite extends SiteCommand(decideRevoke) {}

@ApiTags('Sharing')
@Controller('v1/sites/:slug/invites')
class InviteController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly inviting: InviteHandler,
    private readonly invites: InviteStore,
    private readonly links: MailedLinkStore,
    @InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>,
  ) {}

  @ApiOperation({
    summary: 'Invite someone by email',
    description:
      'Owners only. The email contains a link that works once and expires in seven days. Inviting an address again replaces its earlier invite: the new link has the new role and expires in seven days. People who are already members cannot be invited; change their role with `PATCH …/members/{id}`.',
  })
  @ApiResponse({ status: 201, standardSchema: Invite, description: 'The invite has been sent.' })
  @Route({ rate: rates.invites })
  @ApiProblems('already_member')
  @ApiLinks(...linksOnSameSite({ id: fromResponse('id') }, 'revokeInvite'))
  @ApiAccess('session')
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

  @ApiOperation({ summary: 'List a site’s open invites', description: 'Owners only. Newest first.' })
  @ApiResponse({ status: 200, standardSchema: InviteList, description: 'One page of invites.' })
  @ReadYourWrites()
  @ApiLinks(...linksOnSameSite({ id: fromResponse('items/0/id') }, 'revokeInvite'))
  @ApiAccess('session')
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

  @ApiOperation({
    summary: 'Revoke an invite',
    description: 'Owners only. The emailed link stops working immediately.',
  })
  @ApiResponse({ status: 204, description: 'The invite has been revoked.' })
  @ApiAccess('session')
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

const tool = mcpTool({
  name: 'invite_member',
  title: 'Invite someone to a site by email',
  description:
    'Sends an email with a link that works once and expires in seven days. `role` is `owner`, `editor` or `viewer`. Inviting an address again replaces its open invite. Owners only.',
  scope: 'manage',
  needs: 'person',
  effect: 'adds',
  isIdempotent: false,
  reachesOut: true,
  route: { method: 'POST', path: '/v1/sites/:slug/invites', body: Invitation },
  answer: Invite,
  say: ({ email, role, expiresAt }) => `${email} was invited as ${role}. The link expires at ${expiresAt}.`,
});

export const invite: Feature = {
  routes: [InviteController],
  tools: [tool],
  providers: [InviteHandler],
};
