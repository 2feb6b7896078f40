import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { People } from '../../../accounts/people/people.js';
import { ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { eitherOr } from '../../../edge/http/api/schemas/having.js';
import { refuseInUse } from '../../../edge/http/auth/links/refuse-in-use.js';
import { SignedInResponse, toPersonResponse } from '../../../edge/http/auth/person-response.js';
import { SessionStart } from '../../../edge/http/auth/session-start.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { computeChallenge, hashTerminalSecret, INTERVAL_SECONDS } from './terminal-secrets.js';
import { TerminalSignInStore } from './terminal-sign-ins.js';

/** Shortest accepted time between two polls of a terminal: half the polling interval, to allow for network delays. */
const EARLY_MS = INTERVAL_SECONDS * 500;

const secret = z.string().min(1).max(200);
const Exchanging = z
  .strictObject({
    code: secret.optional().meta({ description: 'Code from the query of `redirect_uri`.' }),
    ticket: secret.optional(),
    verifier: z
      .string()
      .regex(/^[\w.~-]{43,128}$/, 'must be 43 to 128 letters, digits, “-”, “.”, “_” or “~”')
      .meta({ description: 'Verifier whose SHA-256 was sent as `challenge` (RFC 7636 section 4.1).' }),
  })
  .refine(({ code, ticket }) => (code === undefined) !== (ticket === undefined), {
    path: ['ticket'],
    message: 'is required unless `code` is sent, and must not be sent together with it',
  })
  .meta(eitherOr('code', 'ticket'));

const Pending = z
  .object({
    status: z.literal('pending'),
    slowDown: z.literal(true).optional().meta({
      description:
        'Present if you poll much more often than the ticket’s `interval`. Wait for the number of seconds in `retry-after`.',
    }),
  })
  .meta({ id: 'TerminalPending' });

@ApiTags('Sign-in')
@Controller('v1/auth/cli/exchange')
class ExchangeController {
  constructor(
    private readonly signIns: TerminalSignInStore,
    private readonly people: People,
    private readonly sessionStart: SessionStart,
  ) {}

  @ApiOperation({
    summary: 'Get a session for a terminal',
    description:
      'Exchanges a code or a ticket, together with the verifier, for a session. Codes and tickets work once and expire after 10 minutes; a wrong verifier does not use them up. The response is 403 `forbidden` if the user denied the sign-in.',
  })
  @ApiResponse({ status: 200, standardSchema: SignedInResponse, description: 'Signed in.' })
  @ApiResponse({
    status: 202,
    standardSchema: Pending,
    description: 'The user has not decided yet. Try again after `retry-after` seconds.',
  })
  @ApiProblems('invalid_token', 'forbidden')
  @Route({ rate: rates.tokenTries })
  @Post()
  @HttpCode(200)
  async exchangeTerminal(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body({ schema: Exchanging }) { code, ticket, verifier }: z.output<typeof Exchanging>,
  ) {
    const kind = code === undefined ? 'ticket' : 'code';
    const shown = hashTerminalSecret(kind, code ?? ticket ?? '');
    const exchanged = await this.signIns.exchange(shown, computeChallenge(verifier), EARLY_MS, async (userId) => {
      const person = await this.people.find(userId);
      return person && { person, ...(await this.sessionStart.beginForTerminal(request, person, shown)) };
    });
    if (exchanged?.kind === 'denied') refuse('forbidden', 'The user denied this sign-in.');
    if (exchanged?.kind === 'held') return refuseInUse(reply, exchanged, `This ${kind}`);
    if (exchanged?.kind === 'pending') {
      const pending: z.output<typeof Pending> = { status: 'pending', ...(exchanged.early && { slowDown: true }) };
      return reply.status(202).header('retry-after', String(INTERVAL_SECONDS)).send(pending);
    }
    if (!exchanged?.result)
      return refuse(
        'invalid_token',
        `This ${kind} or its verifier is wrong, or the ${kind} has expired or was already used.`,
      );
    const { person, session, token } = exchanged.result;
    const answer: z.output<typeof SignedInResponse> = {
      user: toPersonResponse(person),
      expiresAt: session.expiresAt,
      token,
    };
    return reply.send(answer);
  }
}

export const exchange: Feature = { routes: [ExchangeController] };
