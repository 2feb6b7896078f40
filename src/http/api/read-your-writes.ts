import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReadModels } from '../../kernel/ports/read-models.js';
import { Written } from '../../kernel/write-position.js';

/**
 * Before a read, waits until the read models hold what this process has written, or what the caller says it has
 * seen (`stele-position`); two seconds at most, then the answer says how far they are.
 */
@Injectable()
class WaitForWrites implements NestInterceptor {
  constructor(
    @Inject(ReadModels) private readonly readModels: ReadModels,
    @Inject(Written) private readonly written: Written,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler) {
    const seen = context.switchToHttp().getRequest<FastifyRequest>().headers['stele-position'];
    const asked = typeof seen === 'string' && /^\d{1,18}$/.test(seen) ? BigInt(seen) : 0n;
    const wanted = asked > this.written.position ? asked : this.written.position;

    const reached = await this.readModels.reached(wanted);
    context.switchToHttp().getResponse<FastifyReply>().header('stele-position', String(reached));
    return next.handle();
  }
}

export const ReadYourWrites = () => UseInterceptors(WaitForWrites);
