import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { SessionStart } from '../../../edge/http/auth/session-start.js';
import { wantsPage } from '../../../edge/http/pages/web-page.js';
import type { Feature } from '../../../nest/features.js';

@ApiTags('Sign-in')
@Controller('v1/auth/logout')
class SignOutController {
  constructor(private readonly sessionStart: SessionStart) {}

  @ApiOperation({
    summary: 'Sign out',
    description: 'Ends the current session. Succeeds even if there is no session.',
  })
  @ApiResponse({ status: 204, description: 'Signed out.' })
  @ApiProblems('forbidden')
  @Route({ form: true, problemPages: true })
  @Post()
  @HttpCode(204)
  async signOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    await this.sessionStart.end(request, reply);
    return wantsPage(request) ? reply.redirect('/signed-out', 303) : reply.send();
  }
}

export const signOut: Feature = { routes: [SignOutController] };
