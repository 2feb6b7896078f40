import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReadModelWaiter } from '../../../kernel/ports/read-models.js';
import { GivenPositions } from '../../../kernel/positions/given-positions.js';
import { WritePosition } from '../../../kernel/positions/write-position.js';
import { attachTrait } from './description/api-extension.js';

/**
 * Delays a read for up to two seconds, until the read models include all writes of this process and everything that the
 * caller has seen (request header `stele-position`). Positions that were never issued are ignored. The `stele-position`
 * header of the response is the position of the read models.
 */
@Injectable()
class WaitForWrites implements NestInterceptor {
  constructor(
    private readonly readModels: ReadModelWaiter,
    private readonly writePosition: WritePosition,
    private readonly givenPositions: GivenPositions,
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

/** Ensures that callers see their own writes in read models (docs/interface/conventions.md, "Read your writes"). */
export const ReadYourWrites = () =>
  applyDecorators(UseInterceptors(WaitForWrites), attachTrait('x-reads-own-writes', true));
