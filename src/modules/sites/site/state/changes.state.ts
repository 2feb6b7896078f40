import type { KindOfChange } from '../../../../events/event-type.js';
import { type SiteEvent, siteEvents } from '../../../../events/site/site.events.js';

/** Revision of the last change of each kind. Creating the site counts as a change of every kind. */
export type ChangesState = { readonly lastChanges: Readonly<Record<KindOfChange, number>> };

const kinds: ReadonlyMap<string, KindOfChange> = new Map(
  siteEvents.flatMap(({ type, meaning: { changes } }) => (changes ? [[type, changes.kind] as const] : [])),
);

export const createdAtRevision = (revision: number): ChangesState => ({
  lastChanges: { content: revision, access: revision, presentation: revision },
});

export const changesVersion = 1;

export function evolveChanges(
  { lastChanges }: ChangesState,
  { type }: SiteEvent,
  revision: number,
): ChangesState | null {
  const kind = kinds.get(type);
  return kind === undefined ? null : { lastChanges: { ...lastChanges, [kind]: revision } };
}
