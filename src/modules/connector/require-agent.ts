import type { FastifyRequest } from 'fastify';
import type { Agent } from '../../accounts/tokens/connector-tokens.js';
import { refuse } from '../../kernel/refusal.js';
import type { SiteLookup } from '../serving/api/site-lookup.js';

/** Returns the agent that sent a request. Refuses with `unauthenticated` if the agent's site was deleted. */
export function requireAgent({ agent }: FastifyRequest, hosts: Pick<SiteLookup, 'findSlug'>): Agent {
  if (agent === null) return refuse('unauthenticated');
  if (hosts.findSlug(agent.siteId) !== null) return agent;
  return refuse('unauthenticated', 'The site that this connector token belongs to no longer exists.');
}
