import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { hashSecret } from '../../../edge/http/auth/secrets.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { sendPage } from '../../../edge/http/pages/web-page.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { approveTicketPage } from './approve.page.js';
import { AGAIN, COMPLETE, decisionFields, TerminalApprovals } from './terminal-approvals.js';
import { TerminalSignInStore } from './terminal-sign-ins.js';

const Answered = z.strictObject(decisionFields);

/** Path of the page on which a ticket is approved or denied. */
export const ticketPath = (page: string) => `/terminal/${page}`;

@ApiExcludeController()
@Controller('terminal/:page')
class TicketController {
  constructor(
    private readonly signIns: TerminalSignInStore,
    private readonly approvals: TerminalApprovals,
    private readonly urls: ServiceUrls,
  ) {}

  @Route({ page: true, problemPages: true, anotherLink: AGAIN, rate: rates.tokenTries })
  @Get()
  async ticket(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('page') page: string) {
    const signIn = await this.#found(page);
    if (signIn.state !== 'asked') return this.#answered(request, reply, page, signIn.userId);
    const person = await this.approvals.person(request, reply, ticketPath(page));
    if (!person) return reply;
    const { address } = this.approvals.asker(request);
    const markup = approveTicketPage(person, signIn, ticketPath(page), address);
    return sendPage(request, reply, this.urls.baseUrl, markup);
  }

  @Route({ form: true, page: true, problemPages: true, anotherLink: AGAIN, rate: rates.tokenTries })
  @Post()
  @HttpCode(303)
  async answerTicket(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('page') page: string,
    @Body({ schema: Answered }) form: z.output<typeof Answered>,
  ) {
    await this.#found(page);
    const answer = await this.approvals.answer(request, reply, form, ticketPath(page));
    if (!answer) return reply;
    if (await this.signIns.answer(hashSecret(page), answer)) return reply.redirect(`${COMPLETE}?of=${page}`, 303);
    const { userId } = await this.#found(page);
    return this.#answered(request, reply, page, userId);
  }

  async #found(page: string) {
    const signIn = await this.signIns.find(hashSecret(page));
    return signIn ?? refuse('invalid_token', 'This sign-in request has expired or never existed.');
  }

  #answered({ session }: FastifyRequest, reply: FastifyReply, page: string, userId: string | null) {
    if (session?.userId === userId) return reply.redirect(`${COMPLETE}?of=${page}`, 303);
    return refuse('invalid_token', 'Another user has already approved or denied this sign-in.');
  }
}

export const ticket: Feature = { routes: [TicketController] };
