import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { FastifyReply } from 'fastify';
import type { Repository } from 'typeorm';
import { z } from 'zod';
import { People } from '../../../../accounts/people/people.js';
import { ApiLinks, fromResponse, linksOnSameSite } from '../../../../edge/http/api/description/api-links.js';
import { ApiAccess, ApiProblems } from '../../../../edge/http/api/description/api-traits.js';
import { ReadYourWrites } from '../../../../edge/http/api/read-your-writes.js';
import { buildPageSchema, PageQuery, skipAndTake } from '../../../../edge/http/api/schemas/pagination.js';
import { siteRelatedHeaders } from '../../../../edge/http/api/site-headers.js';
import { Context } from '../../../../edge/http/auth/context.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import type { Feature } from '../../../../nest/features.js';
import { MembershipRow } from '../../../../projections/models/member.projection.js';
import { assertCanRead, assertExists, findRole } from '../../site/assert-access.rule.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { InviteStore } from '../invite/invites.js';
import { listRevokedInvites } from '../invite/void-invites.rule.js';
import { EndingCredentials } from '../tokens/ending-credentials.js';
import { decideChangeRole, decideRemove, findMember } from './members.decide.js';
import { RoleField } from './roles.js';

const Changing = z.strictObject({ role: RoleField });

const Member = z
  .object({
    id: z.string(),
    userId: z.string(),
    name: z.string().nullable(),
    email: z.string().nullable().meta({ description: 'Visible only to owners and to the member; otherwise null.' }),
    role: RoleField,
    since: z.string().optional().meta({
      description: 'Time at which the user became a member. Omitted while that change is still being processed.',
    }),
  })
  .meta({ id: 'Member' });

const MemberList = buildPageSchema(Member).meta({ id: 'Members' });

export class ChangeRole extends SiteCommand(decideChangeRole) {}

export class RemoveMember extends SiteCommand(decideRemove) {}

@ApiTags('Sharing')
@Controller('v1/sites/:slug/members')
class MembersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly people: People,
    private readonly invites: InviteStore,
    private readonly credentials: EndingCredentials,
    @InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>,
  ) {}

  @ApiOperation({
    summary: 'List a site’s members',
    description:
      'Members only. Longest-standing members first. Owners see all email addresses; other members see only their own.',
  })
  @ApiResponse({ status: 200, standardSchema: MemberList, description: 'One page of members.' })
  @ReadYourWrites()
  @ApiLinks(...linksOnSameSite({ id: fromResponse('items/0/id') }, 'changeRole', 'removeMember'))
  @Get()
  async listMembers(
    @Param('slug') slug: string,
    @Query({ schema: PageQuery }) query: z.output<typeof PageQuery>,
    @Context() context: CommandContext,
  ): Promise<z.output<typeof MemberList>> {
    const { siteId, state } = await this.directory.get(slug, context.at);
    const live = assertCanRead(state, context);
    const [rows, total] = await this.memberships.findAndCount({
      where: { siteId, kind: 'member' },
      order: { since: 'asc', id: 'asc' },
      ...skipAndTake(query),
    });
    const known = await this.people.findAll(rows.flatMap(({ userId }) => userId ?? []));
    const isOwner = findRole(live, context.caller) === 'owner';
    // A script that uses a user's token does not count as that user, so it does not see that user's address.
    const self = context.caller.delegation?.kind === 'token' ? null : context.caller.userId;
    const items = rows.map(({ id, userId, role, since }) => {
      const person = known.get(userId ?? '');
      return {
        id,
        userId: userId ?? '',
        name: person?.name ?? null,
        email: isOwner || userId === self ? (person?.email ?? null) : null,
        role,
        since: since.toISOString(),
      };
    });
    return { items, page: query.page, limit: query.limit, total };
  }

  @ApiOperation({
    summary: 'Change a member’s role',
    description:
      'Owners only. The last owner must remain an owner. Setting the role that a member already has changes nothing.',
  })
  @ApiResponse({ status: 200, standardSchema: Member, description: 'The updated member.' })
  @ApiProblems('last_owner')
  @ApiAccess('session')
  @Patch(':id')
  async changeRole(
    @Param('slug') slug: string,
    @Param('id') id: string,
    @Body({ schema: Changing }) { role }: z.output<typeof Changing>,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof Member>> {
    const { siteId } = await this.directory.get(slug, context.at);
    const outcome = await this.commands.execute(new ChangeRole({ context, siteId, memberId: id, role }));
    await this.invites.drop(listRevokedInvites(outcome.events));
    await this.credentials.after(outcome.events);
    void reply.headers(siteRelatedHeaders(outcome));
    const { userId, ...member } = findMember(assertExists(outcome.state, context.at), id);
    const [person, row] = await Promise.all([this.people.find(userId), this.memberships.findOneBy({ id })]);
    return {
      id,
      userId,
      name: person?.name ?? null,
      email: person?.email ?? null,
      role: member.role,
      ...(row && { since: row.since.toISOString() }),
    };
  }

  @ApiOperation({
    summary: 'Remove a member, or leave a site',
    description:
      'Owners can remove any member, and every member can leave. The last owner cannot be removed. The member’s open streams for this site are closed immediately, but the member stays signed in.',
  })
  @ApiResponse({ status: 204, description: 'The user is no longer a member of the site.' })
  @ApiProblems('last_owner')
  @ApiAccess('session')
  @Delete(':id')
  @HttpCode(204)
  async removeMember(
    @Param('slug') slug: string,
    @Param('id') id: string,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { siteId } = await this.directory.get(slug, context.at);
    const outcome = await this.commands.execute(new RemoveMember({ context, siteId, memberId: id }));
    await this.invites.drop(listRevokedInvites(outcome.events));
    await this.credentials.after(outcome.events);
    void reply.headers(siteRelatedHeaders(outcome));
  }
}

export const members: Feature = { routes: [MembersController] };
