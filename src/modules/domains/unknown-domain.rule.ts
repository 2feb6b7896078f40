import { refuse } from '../../kernel/refusal.js';

/** Refuses a domain that the site does not have. The message does not reveal whether another site has it. */
export const refuseUnknown = (hostname: string): never =>
  refuse('not_found', `This site does not have the domain “${hostname.slice(0, 253)}”.`);
