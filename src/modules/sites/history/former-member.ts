import type { Person } from '../../../tables/people/people.js';

/** Who a person is in the history once nobody knows them any more. */
export const FORMER = 'a former member';

/** How to call whoever did something: by their name as it is now; null for somebody without one, and for nobody. */
export function nameOf(
  known: ReadonlyMap<string, Person>,
  { kind, id }: { readonly kind?: string; readonly id?: string },
): string | null {
  if (kind !== 'user' || id === undefined) return null;
  const person = known.get(id);
  return person ? person.name : FORMER;
}
