import { Controller, Delete, HttpCode, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Session } from '../../../accounts/people/sessions.js';
import { ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { RequireSession } from '../../../edge/http/auth/context.js';
import { SessionStart } from '../../../edge/http/auth/session-start.js';
import type { Feature } from '../../../nest/features.js';
import { Erasure } from './erasure.js';

const EraseQuery = z.object({
  sites: z
    .enum(['delete'])
    .optional()
    .meta({ description: 'With `delete`, also deletes the sites that would be left without an owner.' }),
});

@ApiTags('You')
@Controller('v1/me')
class EraseController {
  constructor(
    private readonly erasure: Erasure,
    private readonly sessionStart: SessionStart,
  ) {}

  @ApiOperation({
    summary: 'Delete your account',
    description:
      'Erases your email address, name, sessions, access tokens and emailed links, and removes you from all sites. Site histories keep only an ID that can no longer be linked to you. If sites would be left without an owner and `sites=delete` was not sent, nothing changes, and the response is 409 `last_owner` with a list of those sites.',
  })
  @ApiResponse({ status: 204, description: 'Your account was deleted.' })
  @ApiProblems('last_owner')
  @Delete()
  @HttpCode(204)
  async eraseMe(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @RequireSession() { userId }: Session,
    @Query({ schema: EraseQuery }) { sites }: z.output<typeof EraseQuery>,
  ): Promise<void> {
    await this.erasure.erase(userId, sites === 'delete' ? 'with-sites' : 'alone');
    await this.sessionStart.end(request, reply);
    await reply.send();
  }
}

export const erase: Feature = {
  routes: [EraseController],
  loops: [{ name: 'account erasures', run: Erasure }],
};
