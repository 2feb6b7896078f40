import { refuse } from '../../kernel/refusal.js';

/** Refuses with `not_found`. The text is the same whether another site or no site has the domain. */
export const refuseUnknown = (): never => refuse('not_found', 'This site does not have this domain.');
