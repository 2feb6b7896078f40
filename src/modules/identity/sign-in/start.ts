import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { MagicLink } from '../../../edge/http/auth/links/magic-link.js';
import { Email } from '../../../edge/http/auth/person-response.js';
import { hashSecret } from '../../../edge/http/auth/secrets.js';
import { RateLimits } from '../../../edge/http/limits/rate-limits.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { takeRate } from '../../../edge/http/limits/take-rate.js';
import { sendPage, wantsPage } from '../../../edge/http/pages/web-page.js';
import { Mail, Outbox } from '../../../kernel/ports/outside/mail.js';
import type { Feature } from '../../../nest/features.js';
import { sentPage } from './code.page.js';
import { signInMail } from './sign-in.mail.js';
import { VERIFY } from './verify.js';

/** Lifetime of a sign-in link in a mail (docs/interface/accounts.md, "Emailed links"). */
const SECONDS = 600;

const Starting = z.strictObject({ email: Email });
const Started = z.object({ status: z.literal('sent') }).meta({ id: 'SignInStarted' });

@ApiTags('Sign-in')
@Controller('v1/auth/start')
class StartController {
  constructor(
    private readonly magicLink: MagicLink,
    private readonly mail: Mail,
    private readonly outbox: Outbox,
    private readonly limits: RateLimits,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Send a sign-in link by email',
    description: 'The response does not reveal whether an account exists for the address.',
  })
  @ApiResponse({ status: 200, standardSchema: Started, description: 'An email with a link and a code was sent.' })
  @Route({ form: true, problemPages: true, rate: rates.signInsOfAddress })
  @Post()
  @HttpCode(200)
  async startSignIn(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body({ schema: Starting }) { email }: z.output<typeof Starting>,
  ) {
    const link = { purpose: 'sign-in' as const, email, about: {}, seconds: SECONDS };
    await takeRate(reply, this.limits, rates.signInMails, hashSecret(email.toLowerCase()), async () => {
      const { href, code } = await this.magicLink.make(request, reply, VERIFY, link);
      await this.mail.send(signInMail(email, href, code));
    });
    if (wantsPage(request))
      return sendPage(
        request,
        reply,
        this.urls.baseUrl,
        sentPage(email, { isInOutbox: (await this.outbox.list()) !== null }),
      );
    return reply.send({ status: 'sent' } satisfies z.output<typeof Started>);
  }
}

export const start: Feature = { routes: [StartController] };
