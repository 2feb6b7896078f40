import type { Head } from '../../../kernel/event-store.js';

type SiteWrite = { readonly head: Head; readonly position: bigint | null };

const positionOf = ({ position }: SiteWrite) => (position === null ? {} : { 'stele-position': String(position) });

/** Headers for a write whose response contains the site or its deploy result. */
export const siteRevisionHeaders = (write: SiteWrite): Record<string, string> => ({
  etag: `"${write.head.revision}"`,
  ...positionOf(write),
});

/** Headers for a write whose response does not represent the site, so the revision is not sent as an ETag. */
export const siteRelatedHeaders = (write: SiteWrite): Record<string, string> => ({
  'stele-revision': String(write.head.revision),
  ...positionOf(write),
});
