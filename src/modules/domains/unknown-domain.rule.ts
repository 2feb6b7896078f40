import { refuse } from '../../kernel/refusal.js';

/** The message does not reveal whether another site has the domain. */
export const refuseUnknown = (): never => refuse('not_found', 'This site does not have this domain.');
