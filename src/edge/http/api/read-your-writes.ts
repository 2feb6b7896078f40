import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReadModels } from '../../../kernel/ports/read-models.js';
import { GivenPositions } from '../../../kernel/positions/given-positions.js';
import { WritePosition } from '../../../kernel/positions/write-position.js';
import { tell } from './description/tell.js';

/**
 * Waits before a read until the read models contain what this process has written and what the caller has seen
 * (`stele-position`), two seconds at most, and never for a position that was not given out. The response’s
 * `stele-position` says how far they are.
 */
@Injectable()
class WaitForWrites implements NestInterceptor {
  constructor(
    @Inject(ReadModels) private readonly readModels: ReadModels,
    @Inject(WritePosition) private readonly writePosition: WritePosition,
    @Inject(GivenPositions) private readonly givenPositions: GivenPositions,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler) {
    const seen = context.switchToHttp().getRequest<FastifyRequest>().headers['stele-position'];
    const requested = typeof seen === 'string' && /^\d{1,18}$/.test(seen) ? BigInt(seen) : 0n;
    const { position: own } = this.writePosition;
    const seenElsewhere = requested > own ? await this.givenPositions.upToEnd(requested) : 0n;

    const reached = await this.readModels.reached(seenElsewhere > own ? seenElsewhere : own);
    context.switchToHttp().getResponse<FastifyReply>().header('stele-position', String(reached));
    return next.handle();
  }
}

/**
 * Decorates a route that reads from read models, so that it answers with a caller’s own writes
 * (docs/interface/conventions.md, "Read your writes").
 */
export const ReadYourWrites = () => applyDecorators(UseInterceptors(WaitForWrites), tell('x-reads-own-writes', true));
