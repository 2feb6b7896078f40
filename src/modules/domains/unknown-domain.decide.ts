import { refuse } from '../../kernel/refusal.js';

/** The same for a domain of another site as for one of none. */
export const refuseUnknown = (): never => refuse('not_found', 'This site has no such domain.');
