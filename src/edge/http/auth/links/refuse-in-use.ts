import type { FastifyReply } from 'fastify';
import { refuse } from '../../../../kernel/refusal.js';

/**
 * Refuses a single-use item while another request uses it. A retry may succeed, because the other request might fail.
 */
export function refuseInUse(reply: FastifyReply, { seconds }: { readonly seconds: number }, what: string): never {
  void reply.header('retry-after', String(seconds));
  return refuse('conflict', `${what} is being used by another request right now. Try again shortly.`);
}
