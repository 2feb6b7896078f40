import type { Head } from '../../kernel/event-store.js';

type SiteWrite = { readonly head: Head; readonly position: bigint | null };

const positionOf = ({ position }: SiteWrite) => (position === null ? {} : { 'stele-position': String(position) });

/** Where the site and the log stand after a write whose answer is the site or its deploy result. */
export const siteRevisionHeaders = (write: SiteWrite): Record<string, string> => ({
  etag: `"${write.head.revision}"`,
  ...positionOf(write),
});

/** The same where the answer is about the site, but is not the site. */
export const siteRelatedHeaders = (write: SiteWrite): Record<string, string> => ({
  'stele-revision': String(write.head.revision),
  ...positionOf(write),
});
