import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { People } from '../../../accounts/people/people.js';
import { SessionStore } from '../../../accounts/people/sessions.js';
import { ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { NO_BLANK } from '../../../edge/http/api/schemas/texts.js';
import { Operator } from '../../../edge/http/auth/operator.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';

const Ending = z.strictObject({
  user: z.string().max(254).regex(NO_BLANK, 'must not be empty or contain whitespace or control characters').meta({
    description: 'Email address or ID (`usr_…`) of the user. The ID appears in the log and in site histories.',
  }),
});

@ApiTags('Operator')
@ApiBearerAuth()
@Controller('v1/admin/sessions/end')
class EndSessionsController {
  constructor(
    private readonly operator: Operator,
    private readonly people: People,
    private readonly sessions: SessionStore,
  ) {}

  @ApiOperation({
    summary: 'End all of a user’s sessions',
    description: 'Signs the user out everywhere. Their access tokens and connected apps keep working.',
  })
  @ApiResponse({ status: 204, description: 'All of the user’s sessions have ended.' })
  @ApiProblems('not_found')
  @Route({ operator: true })
  @Post()
  @HttpCode(204)
  async endSessionsOf(
    @Body({ schema: Ending }) { user }: z.output<typeof Ending>,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    this.operator.assertCallerOf(request);
    const person = user.includes('@') ? await this.people.findByEmail(user) : await this.people.find(user);
    if (!person) return refuse('not_found', `There is no user “${user}”. Send an email address or a user ID.`);
    await this.sessions.endAll(person.userId);
  }
}

export const endSessions: Feature = { routes: [EndSessionsController] };
