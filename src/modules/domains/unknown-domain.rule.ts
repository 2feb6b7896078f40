import { refuse } from '../../kernel/refusal.js';

/** Refuses a domain that the site does not have. The message does not reveal whether another site has it. */
export const refuseUnknown = (): never => refuse('not_found', 'This site does not have this domain.');
