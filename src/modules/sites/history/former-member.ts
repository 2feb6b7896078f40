import { FORMER } from '../../../events/site/site-summary.js';
import type { Person } from '../../../tables/people/people.js';

/** The name of the person who did something, as it is now; null for a person without one, and where no person did it. */
export function nameOf(
  known: ReadonlyMap<string, Person>,
  { kind, id }: { readonly kind?: string; readonly id?: string },
): string | null {
  if (kind !== 'user' || id === undefined) return null;
  const person = known.get(id);
  return person ? person.name : FORMER;
}
