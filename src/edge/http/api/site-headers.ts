import type { Head } from '../../../kernel/event-store.js';

type SiteWrite = { readonly head: Head; readonly position: bigint | null };

const positionOf = ({ position }: SiteWrite) => (position === null ? {} : { 'stele-position': String(position) });

/**
 * Returns the headers for a write whose response contains the site or its deploy result: the site’s ETag and the
 * position in the event log.
 */
export const siteRevisionHeaders = (write: SiteWrite): Record<string, string> => ({
  etag: `"${write.head.revision}"`,
  ...positionOf(write),
});

/**
 * Returns the headers for a write whose response contains something else about the site. The revision is not an ETag
 * here, because the response does not represent the site.
 */
export const siteRelatedHeaders = (write: SiteWrite): Record<string, string> => ({
  'stele-revision': String(write.head.revision),
  ...positionOf(write),
});
