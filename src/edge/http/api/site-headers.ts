import type { Head } from '../../../kernel/event-store.js';

type SiteWrite = { readonly head: Head; readonly position: bigint | null };

const positionOf = ({ position }: SiteWrite) => (position === null ? {} : { 'stele-position': String(position) });

/**
 * Headers of a write that is answered with the site or its deploy result: the site’s ETag, and the position in the log.
 */
export const siteRevisionHeaders = (write: SiteWrite): Record<string, string> => ({
  etag: `"${write.head.revision}"`,
  ...positionOf(write),
});

/**
 * Headers of a write that is answered with something else about the site. The revision is no ETag here, since the
 * answer is not the site.
 */
export const siteRelatedHeaders = (write: SiteWrite): Record<string, string> => ({
  'stele-revision': String(write.head.revision),
  ...positionOf(write),
});
