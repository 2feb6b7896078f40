import { Controller, Delete, HttpCode, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiProblems } from '../../../http/api/description/api-traits.js';
import { SignedInAs } from '../../../http/auth/context.js';
import { SessionStart } from '../../../http/auth/session-start.js';
import type { Feature } from '../../../process/nest/features.js';
import type { Session } from '../../../tables/people/sessions.js';
import { Erasure } from './erasure.js';

const EraseQuery = z.object({
  sites: z.enum(['delete']).optional().meta({ description: 'Also deletes the sites that would have no owner.' }),
});

@ApiTags('You')
@Controller('v1/me')
class EraseController {
  constructor(
    @Inject(Erasure) private readonly erasure: Erasure,
    @Inject(SessionStart) private readonly sessionStart: SessionStart,
  ) {}

  @ApiOperation({
    summary: 'Be forgotten',
    description:
      'Your address, your sessions, and what was mailed to you are gone; your roles end. The history of sites keeps an id that leads nowhere. 409 `last_owner` names the sites that would have no owner, unless they are to be deleted.',
  })
  @ApiResponse({ status: 204, description: 'You are not known here any more.' })
  @ApiProblems('last_owner')
  @Delete()
  @HttpCode(204)
  async eraseMe(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @SignedInAs() { userId }: Session,
    @Query({ schema: EraseQuery }) { sites }: z.output<typeof EraseQuery>,
  ): Promise<void> {
    await this.erasure.erase(userId, sites === 'delete' ? 'with-sites' : 'alone');
    await this.sessionStart.end(request, reply);
    await reply.send();
  }
}

export const erase: Feature = { routes: [EraseController], providers: [Erasure] };
