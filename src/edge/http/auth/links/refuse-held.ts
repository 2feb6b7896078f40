import type { FastifyReply } from 'fastify';
import { refuse } from '../../../../kernel/refusal.js';

/** Refuses something that works once while another request uses it. The other may fail, so the caller may retry. */
export function refuseHeld(reply: FastifyReply, { seconds }: { readonly seconds: number }, what: string): never {
  void reply.header('retry-after', String(seconds));
  return refuse('conflict', `${what} is being used by another request right now. Try again shortly.`);
}
