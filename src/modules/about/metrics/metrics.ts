import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { unknownPath } from '../../../edge/http/api/allowed-methods.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { Operator } from '../../../edge/http/auth/operator.js';
import { ClientAddress } from '../../../edge/http/limits/client-address.js';
import { readPath } from '../../../edge/http/problems/send-problem.js';
import type { Feature } from '../../../nest/features.js';
import { Measures } from './measures.js';

/** Any caller except this machine, trusted proxies and the operator gets the same 404 as for an unknown path. */
@ApiExcludeController()
@Controller('metrics')
class MetricsController {
  constructor(
    private readonly measures: Measures,
    private readonly operator: Operator,
    private readonly clientAddress: ClientAddress,
  ) {}

  @Route({ hidden: true, operator: true })
  @Get()
  async metrics(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    if (!this.clientAddress.isInternal(request.raw) && !this.operator.isCallerOf(request)) {
      throw unknownPath(readPath(request));
    }
    void reply.type(this.measures.type);
    return this.measures.text();
  }
}

export const metrics: Feature = {
  routes: [MetricsController],
  loops: [{ name: 'measures', run: Measures }],
};
