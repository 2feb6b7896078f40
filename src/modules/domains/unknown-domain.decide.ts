import { refuse } from '../../kernel/refusal.js';

/** Refuses with `not_found`, with the same text whether another site has the domain or nobody does. */
export const refuseUnknown = (): never => refuse('not_found', 'This site does not have this domain.');
