import { Body, Controller, Delete, Get, HttpCode, Param, Patch } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { z } from 'zod';
import { People, type Person } from '../../../accounts/people/people.js';
import { type Session, SessionStore } from '../../../accounts/people/sessions.js';
import { ReadYourWrites } from '../../../edge/http/api/read-your-writes.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ShownName } from '../../../edge/http/api/schemas/texts.js';
import { RequireSession } from '../../../edge/http/auth/context.js';
import { toPersonResponse, User } from '../../../edge/http/auth/person-response.js';
import { quoteId } from '../../../kernel/output/quote-id.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { MembershipRow } from '../../../projections/models/member.projection.js';
import { SiteRow } from '../../../projections/models/site.projection.js';
import { LimitsOfDeploys } from '../../../settings/deploy-settings.js';

const Me = User.extend({
  sites: z.number().int().meta({ description: 'Number of sites on which you have a role.' }),
  limits: z.object({
    bytes: z.number().int().meta({ description: 'Maximum total size of one deploy, in bytes.' }),
    fileBytes: z.number().int(),
    files: z.number().int(),
  }),
}).meta({ id: 'Me' });

const Naming = z.strictObject({
  name: ShownName.nullable().meta({
    description: 'Name that the other members of your sites see, or null to remove it.',
  }),
});

const SessionEntry = z
  .object({
    id: z.string(),
    current: z.boolean().meta({ description: 'Whether this is the session used for this request.' }),
    client: z.string().nullable(),
    purpose: z.enum(['browser', 'program', 'terminal']).meta({
      description:
        'Client that uses the session: a browser, an API client that signed in without a browser (`program`), or a terminal that you approved.',
    }),
    createdAt: z.string(),
    lastUsedAt: z.string(),
    expiresAt: z.string(),
  })
  .meta({ id: 'Session' });

const SessionList = z.object({ items: z.array(SessionEntry) }).meta({ id: 'SessionList' });

@ApiTags('You')
@Controller('v1/me')
class MeController {
  constructor(
    private readonly people: People,
    private readonly sessions: SessionStore,
    private readonly limits: LimitsOfDeploys,
    @InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>,
  ) {}

  @ApiOperation({ summary: 'Get your account' })
  @ApiResponse({
    status: 200,
    standardSchema: Me,
    description: 'The user that the session or access token belongs to.',
  })
  @Route({ tokens: 'of-person' })
  @ReadYourWrites()
  @Get()
  async me(@RequireSession() session: Session): Promise<z.output<typeof Me>> {
    const person = await this.#person(session);
    const { deployBytes: bytes, fileBytes, files } = this.limits.of(session.userId);
    const sites = await this.memberships
      .createQueryBuilder('membership')
      .innerJoin(SiteRow, 'site', 'site.siteId = membership.siteId')
      .where({ userId: session.userId, kind: 'member' })
      .andWhere("site.status <> 'deleted'")
      .getCount();
    return { ...toPersonResponse(person), sites, limits: { bytes, fileBytes, files } };
  }

  @ApiOperation({
    summary: 'Change or remove your name',
    description: 'Past entries in site histories also show the new name.',
  })
  @ApiResponse({ status: 200, standardSchema: User, description: 'Your account with the new name.' })
  @Patch()
  async renameMe(
    @RequireSession() { userId }: Session,
    @Body({ schema: Naming }) { name }: z.output<typeof Naming>,
  ): Promise<z.output<typeof User>> {
    const person = await this.people.rename(userId, name);
    return toPersonResponse(person ?? refuse('unauthenticated', 'This account no longer exists.'));
  }

  @ApiOperation({ summary: 'List your sessions, newest first' })
  @ApiResponse({ status: 200, standardSchema: SessionList, description: 'Your sessions.' })
  @Get('sessions')
  async mySessions(@RequireSession() session: Session): Promise<z.output<typeof SessionList>> {
    const all = await this.sessions.of(session.userId);
    return {
      items: all.map(({ sessionId, userId: _, ...rest }) => ({
        id: sessionId,
        current: sessionId === session.sessionId,
        ...rest,
      })),
    };
  }

  @ApiOperation({ summary: 'End one of your sessions' })
  @ApiResponse({ status: 204, description: 'The session has ended.' })
  @Delete('sessions/:id')
  @HttpCode(204)
  async endSession(@RequireSession() { userId }: Session, @Param('id') id: string): Promise<void> {
    if (!(await this.sessions.end(userId, id))) refuse('not_found', `You have no session ${quoteId(id)}.`);
  }

  async #person({ userId }: Session): Promise<Person> {
    return (await this.people.find(userId)) ?? refuse('unauthenticated', 'This account no longer exists.');
  }
}

export const me: Feature = { routes: [MeController] };
