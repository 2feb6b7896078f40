import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { MailedLinkStore } from '../../../accounts/people/mailed-links.js';
import { html } from '../../../edge/browser/markup.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { type ConfirmationPage, MagicLink } from '../../../edge/http/auth/links/magic-link.js';
import { refuseInUse } from '../../../edge/http/auth/links/refuse-in-use.js';
import { LoginCompletion } from '../../../edge/http/auth/login-completion.js';
import { Email, SignedInResponse } from '../../../edge/http/auth/person-response.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { sendPage, wantsPage } from '../../../edge/http/pages/web-page.js';
import { problems } from '../../../edge/http/problems/problem.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { WRONG_CODE, wrongCodePage } from './code.page.js';

export const VERIFY = '/v1/auth/verify';

const confirmationPage: ConfirmationPage = {
  purpose: 'sign-in',
  path: VERIFY,
  title: 'Sign in',
  text: ({ email }) => html`<p>Sign in on this device as <strong>${email}</strong>?</p>`,
  button: 'Sign in',
};

const Token = z.object({ token: z.string().max(2_000).meta({ description: 'Token from the emailed link.' }) });
const Code = z.strictObject({
  email: Email,
  code: z
    .string()
    .min(8)
    .max(12)
    .meta({ description: 'The 8-character code from the email. Spaces and hyphens are ignored.' }),
});

@ApiTags('Sign-in')
@Controller('v1/auth')
class VerifyController {
  constructor(
    private readonly magicLink: MagicLink,
    private readonly links: MailedLinkStore,
    private readonly loginCompletion: LoginCompletion,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Sign in with an emailed link',
    description:
      'Links work once. A browser other than the one that requested the link gets a page with a button, and the link stays valid until that button is pressed.',
  })
  @ApiResponse({
    status: 200,
    standardSchema: SignedInResponse,
    description: 'Signed in. Browsers also get the session cookie.',
  })
  @Route({ problemPages: true, rate: rates.tokenTries })
  @Get('verify')
  verify(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query({ schema: Token }) { token }: z.output<typeof Token>,
  ) {
    return this.#open(request, reply, token);
  }

  @ApiOperation({ summary: 'Sign in with an emailed link, from the confirmation page' })
  @ApiResponse({
    status: 200,
    standardSchema: SignedInResponse,
    description: 'Signed in. Browsers also get the session cookie.',
  })
  @Route({ form: true, problemPages: true, rate: rates.tokenTries })
  @Post('verify')
  @HttpCode(200)
  verifyByButton(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body({ schema: Token }) { token }: z.output<typeof Token>,
  ) {
    return this.#open(request, reply, token);
  }

  @ApiOperation({
    summary: 'Sign in with the code from the email',
    description:
      'For signing in on another device. After 5 wrong codes, all codes sent to the address stop working. The links in the emails stay valid.',
  })
  @ApiResponse({
    status: 200,
    standardSchema: SignedInResponse,
    description: 'Signed in. Browsers also get the session cookie.',
  })
  @Route({ form: true, problemPages: true, rate: rates.tokenTries })
  @Post('code')
  @HttpCode(200)
  async code(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body({ schema: Code }) { email, code }: z.output<typeof Code>,
  ) {
    const used = await this.links.useCode('sign-in', email, code, (link) =>
      this.loginCompletion.byLink(request, reply, link),
    );
    if (used?.kind === 'held') return refuseInUse(reply, used, 'This code');
    if (used) return used.result();
    if (!wantsPage(request)) return refuse('invalid_token', WRONG_CODE);
    return sendPage(request, reply, this.urls.baseUrl, wrongCodePage(email), problems.invalid_token.status);
  }

  #open(request: FastifyRequest, reply: FastifyReply, token: string) {
    return this.magicLink.open(request, reply, token, confirmationPage, (link) =>
      this.loginCompletion.byLink(request, reply, link),
    );
  }
}

export const verify: Feature = { routes: [VerifyController] };
