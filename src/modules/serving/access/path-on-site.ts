const MAX_CHARACTERS = 2_000;

/**
 * Returns `sent` if it is a path on a site's host, with or without a query. Otherwise, returns `/`. Two leading slashes
 * begin the URL of another host, and browsers treat a backslash as a slash. Never returns the path that the service
 * reserves on hosts of sites.
 */
export function pathOnSite(sent: string | null | undefined): string {
  const isPath = sent != null && sent.length <= MAX_CHARACTERS && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(sent);
  return isPath && !/^\/\.stele(?:[/?#]|$)/i.test(sent) ? sent : '/';
}
