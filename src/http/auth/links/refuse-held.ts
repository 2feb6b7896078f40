import type { FastifyReply } from 'fastify';
import { refuse } from '../../../kernel/refusal.js';

/** Refuses what works once while another request uses it, and says when to come again: the other may fail. */
export function refuseHeld(reply: FastifyReply, { seconds }: { readonly seconds: number }, what: string): never {
  void reply.header('retry-after', String(seconds));
  return refuse('conflict', `${what} is being used by another request at this moment.`);
}
