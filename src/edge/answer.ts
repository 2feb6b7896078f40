import type { FastifyReply } from 'fastify';
import type { Head } from '../kernel/event-store.js';

type Written = { readonly head: Head; readonly position: bigint | null };

/** Tells where the site and the log stand after a write whose answer is the site or its deploy result. */
export function stampSite(reply: FastifyReply, { head, position }: Written) {
  void reply.header('etag', `"${head.revision}"`);
  if (position !== null) void reply.header('stele-position', String(position));
}

/** The same where the answer is about the site, but is not the site. */
export function stampAbout(reply: FastifyReply, { head, position }: Written) {
  void reply.header('stele-revision', String(head.revision));
  if (position !== null) void reply.header('stele-position', String(position));
}
