const MAX_CHARACTERS = 2_000;

/**
 * Returns the path and query to continue to on a site's host, or `/` if `sent` could lead to another host: by two
 * leading slashes, or by a backslash, which browsers treat as a slash. Never returns the reserved path.
 */
export function pathOnSite(sent: string | null | undefined): string {
  const isPath = sent != null && sent.length <= MAX_CHARACTERS && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(sent);
  return isPath && !/^\/\.stele(?:[/?#]|$)/i.test(sent) ? sent : '/';
}
