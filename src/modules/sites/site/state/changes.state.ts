import type { SiteEvent } from '../../../../events/site/site.events.js';

/**
 * Kinds of changes that `If-Match` distinguishes: what visitors get (`content`), who controls and sees the site
 * (`access`), and its name and details (`presentation`). Other changes, such as a new secret, belong to no kind.
 */
export type KindOfChange = 'content' | 'access' | 'presentation';

/** Revision of the last change of each kind. Creating the site counts as a change of every kind. */
export type ChangesState = { readonly lastChanges: Readonly<Record<KindOfChange, number>> };

const kinds: Readonly<Partial<Record<SiteEvent['type'], KindOfChange>>> = {
  SiteDeployed: 'content',
  SiteStaged: 'content',
  SiteRolledBack: 'content',
  SiteAccessSet: 'access',
  SiteTakenDown: 'access',
  SiteClaimed: 'access',
  SiteRenamed: 'presentation',
  SiteDescribed: 'presentation',
};

export const createdAtRevision = (revision: number): ChangesState => ({
  lastChanges: { content: revision, access: revision, presentation: revision },
});

export function evolveChanges(
  { lastChanges }: ChangesState,
  { type }: SiteEvent,
  revision: number,
): ChangesState | null {
  const kind = kinds[type];
  return kind === undefined ? null : { lastChanges: { ...lastChanges, [kind]: revision } };
}
