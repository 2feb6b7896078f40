const MAX_CHARACTERS = 2_000;

/**
 * Returns the path and query to continue to on a site's host, or `/` if `sent` is not a path on that host: two leading
 * slashes begin the URL of another host, and browsers treat a backslash as a slash. Never returns the reserved path.
 */
export function pathOnSite(sent: string | null | undefined): string {
  const isPath = sent != null && sent.length <= MAX_CHARACTERS && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(sent);
  return isPath && !/^\/\.stele(?:[/?#]|$)/i.test(sent) ? sent : '/';
}
