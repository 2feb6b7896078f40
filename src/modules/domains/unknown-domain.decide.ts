import { refuse } from '../../kernel/refusal.js';

/** Refuses with `not_found` a domain that is not the site’s, alike whether another site has it or none. */
export const refuseUnknown = (): never => refuse('not_found', 'This site does not have this domain.');
