import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { z } from 'zod';
import { ReadYourWrites } from '../../../http/api/read-your-writes.js';
import { Route } from '../../../http/api/route-options.js';
import { ShownName } from '../../../http/api/schemas/texts.js';
import { SignedInAs } from '../../../http/auth/context.js';
import { personAnswer, User } from '../../../http/auth/person-answer.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../process/nest/features.js';
import { MembershipRow } from '../../../projections/models/member.projection.js';
import { SiteRow } from '../../../projections/models/site.projection.js';
import { LimitsOfDeploys } from '../../../settings.deploys.js';
import { People, type Person } from '../../../tables/people/people.js';
import { type Session, Sessions } from '../../../tables/people/sessions.js';

const Me = User.extend({
  sites: z.number().int().meta({ description: 'On how many sites you have a role.' }),
  limits: z.object({
    bytes: z.number().int().meta({ description: 'Of all files of one deploy.' }),
    fileBytes: z.number().int(),
    files: z.number().int(),
  }),
}).meta({ id: 'Me' });

const Naming = z.strictObject({
  name: ShownName.nullable().meta({ description: 'What others on your sites read; null for none.' }),
});

const SessionEntry = z
  .object({
    id: z.string(),
    current: z.boolean().meta({ description: 'This request came with it.' }),
    client: z.string().nullable(),
    purpose: z.enum(['browser', 'program', 'terminal']).meta({
      description: 'A browser, a program that opened a mailed link, or a terminal that you have let in.',
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
    @Inject(People) private readonly people: People,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(LimitsOfDeploys) private readonly limits: LimitsOfDeploys,
    @InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>,
  ) {}

  @ApiOperation({ summary: 'Who you are' })
  @ApiResponse({ status: 200, standardSchema: Me, description: 'The person of this session.' })
  @Route({ tokens: 'of-person' })
  @ReadYourWrites()
  @Get()
  async me(@SignedInAs() session: Session): Promise<z.output<typeof Me>> {
    const person = await this.#person(session);
    const { deployBytes: bytes, fileBytes, files } = this.limits.of(session.userId);
    const sites = await this.memberships
      .createQueryBuilder('membership')
      .innerJoin(SiteRow, 'site', 'site.siteId = membership.siteId')
      .where({ userId: session.userId, kind: 'member' })
      .andWhere("site.status <> 'deleted'")
      .getCount();
    return { ...personAnswer(person), sites, limits: { bytes, fileBytes, files } };
  }

  @ApiOperation({
    summary: 'Take another name, or none',
    description: 'It is shown from now on wherever you did something before, too: it is recorded nowhere.',
  })
  @ApiResponse({ status: 200, standardSchema: User, description: 'You, as you are called now.' })
  @Patch()
  async renameMe(
    @SignedInAs() { userId }: Session,
    @Body({ schema: Naming }) { name }: z.output<typeof Naming>,
  ): Promise<z.output<typeof User>> {
    const person = await this.people.rename(userId, name);
    return personAnswer(person ?? refuse('unauthenticated', 'This account is gone.'));
  }

  @ApiOperation({ summary: 'Everything you are signed in with, newest first' })
  @ApiResponse({ status: 200, standardSchema: SessionList, description: 'Your sessions.' })
  @Get('sessions')
  async mySessions(@SignedInAs() session: Session): Promise<z.output<typeof SessionList>> {
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
  @ApiResponse({ status: 204, description: 'It is over, everywhere it was used.' })
  @Delete('sessions/:id')
  @HttpCode(204)
  async endSession(@SignedInAs() { userId }: Session, @Param('id') id: string): Promise<void> {
    if (!(await this.sessions.end(userId, id))) refuse('not_found', 'You have no such session.');
  }

  async #person({ userId }: Session): Promise<Person> {
    return (await this.people.find(userId)) ?? refuse('unauthenticated', 'This account is gone.');
  }
}

export const me: Feature = { routes: [MeController] };
