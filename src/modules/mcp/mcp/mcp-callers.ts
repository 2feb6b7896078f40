import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { parseBearer } from '../../../edge/http/auth/strategies/bearer.js';
import type { InnerCaller } from '../../../edge/http/inner/inner-caller.js';
import { ClientAddress } from '../../../edge/http/limits/client-address.js';
import { TokenGrants } from '../../oauth/api/token-grants.js';

@Injectable()
export class McpCallers {
  constructor(
    private readonly grants: TokenGrants,
    private readonly clientAddress: ClientAddress,
    private readonly urls: ServiceUrls,
  ) {}

  /**
   * Identifies the caller of a request. Refuses a bearer token without a grant with `unauthenticated`, instead of
   * treating the caller as anonymous.
   */
  async of({ headers, raw }: FastifyRequest): Promise<InnerCaller> {
    const token = parseBearer(headers.authorization);
    const grant = token === null ? null : await this.grants.find(token, this.urls.mcpUrl);
    return { grant, address: this.clientAddress.addressOf(raw) };
  }
}
