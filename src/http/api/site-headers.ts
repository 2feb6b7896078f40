import type { Head } from '../../kernel/event-store.js';

type Written = { readonly head: Head; readonly position: bigint | null };

const positionOf = ({ position }: Written) => (position === null ? {} : { 'stele-position': String(position) });

/** Where the site and the log stand after a write whose answer is the site or its deploy result. */
export const headersOfSite = (written: Written): Record<string, string> => ({
  etag: `"${written.head.revision}"`,
  ...positionOf(written),
});

/** The same where the answer is about the site, but is not the site. */
export const headersAboutSite = (written: Written): Record<string, string> => ({
  'stele-revision': String(written.head.revision),
  ...positionOf(written),
});
