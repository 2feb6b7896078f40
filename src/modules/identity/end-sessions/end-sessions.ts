import { Body, Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiProblems } from '../../../http/api/description/api-traits.js';
import { Route } from '../../../http/api/route-options.js';
import { NO_BLANK } from '../../../http/api/schemas/texts.js';
import { Operator } from '../../../http/auth/operator.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../process/nest/features.js';
import { People } from '../../../tables/people/people.js';
import { Sessions } from '../../../tables/people/sessions.js';

const Ending = z.strictObject({
  user: z.string().max(254).regex(NO_BLANK).meta({
    description: 'The mail address, or the id (`usr_…`) as the log and histories have it.',
  }),
});

@ApiTags('Operator')
@ApiBearerAuth()
@Controller('v1/admin/sessions/end')
class EndSessionsController {
  constructor(
    @Inject(Operator) private readonly operator: Operator,
    @Inject(People) private readonly people: People,
    @Inject(Sessions) private readonly sessions: Sessions,
  ) {}

  @ApiOperation({
    summary: 'End all sessions of a person',
    description: 'Access tokens, and programs that were let in, are no sessions: these stay.',
  })
  @ApiResponse({ status: 204, description: 'They have none, everywhere they were used.' })
  @ApiProblems('not_found')
  @Route({ operator: true })
  @Post()
  @HttpCode(204)
  async endSessionsOf(
    @Body({ schema: Ending }) { user }: z.output<typeof Ending>,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    this.operator.expectCallerOf(request);
    const person = user.includes('@') ? await this.people.findByEmail(user) : await this.people.find(user);
    if (!person) return refuse('not_found', 'Nobody is known by that: send a mail address, or an id of the log.');
    await this.sessions.endAll(person.userId);
  }
}

export const endSessions: Feature = { routes: [EndSessionsController] };
