import type { FastifyRequest } from 'fastify';
import type { Agent } from '../../accounts/tokens/connector-tokens.js';
import type { ConnectorHosts } from '../../kernel/ports/connector-sites.js';
import { refuse } from '../../kernel/refusal.js';

/** The agent that called a route for agents. Refuses with `unauthenticated` where its site is gone. */
export function agentOf({ agent }: FastifyRequest, hosts: Pick<ConnectorHosts, 'slugOf'>): Agent {
  if (agent === null) return refuse('unauthenticated');
  if (hosts.slugOf(agent.siteId) !== null) return agent;
  return refuse('unauthenticated', 'The site that this connector token belongs to no longer exists.');
}
