import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Route } from '../../../http/api/route-options.js';
import { ClientAddress } from '../../../http/limits/client-address.js';
import { pathOf } from '../../../http/problems/send-problem.js';
import { CertifiableHosts } from '../../../kernel/ports/certifiable-hosts.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../process/nest/features.js';

/** What a client may say that it wants to reach (RFC 6066 section 3): a name, never an address or a port. */
const NAME = /^[a-z0-9.-]{1,253}$/;

/**
 * Asked by the server that answers TLS, before it gets a certificate for a name: Caddy’s `ask`. Whoever else asks gets
 * 404, as for a path that does not exist, and so does a client that such a server speaks for.
 */
@ApiExcludeController()
@Controller('internal/tls/ask')
class AskController {
  constructor(
    @Inject(CertifiableHosts) private readonly hosts: CertifiableHosts,
    @Inject(ClientAddress) private readonly clientAddress: ClientAddress,
  ) {}

  @Route({ hidden: true, anyHost: true })
  @Get()
  ask(@Req() request: FastifyRequest, @Query('domain') domain: unknown) {
    if (!this.clientAddress.isPeerItself(request.raw))
      return refuse('not_found', `There is nothing at ${pathOf(request)}.`);
    const hostname = typeof domain === 'string' ? domain.toLowerCase().replace(/\.$/, '') : '';
    if (!NAME.test(hostname) || !this.hosts.has(hostname))
      return refuse('not_found', 'No certificate is issued for this name.');
    return { hostname };
  }
}

export const ask: Feature = { routes: [AskController] };
