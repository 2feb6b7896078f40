const MAX_CHARACTERS = 2_000;

/**
 * Returns the path on a site's own host to which a visitor continues: the given path and query, or `/` if it is not a
 * path on that host. Two leading slashes would begin the URL of another host, and browsers treat a backslash as a
 * slash. The reserved path is never a destination.
 */
export function pathOnSite(sent: string | null | undefined): string {
  const isPath = sent != null && sent.length <= MAX_CHARACTERS && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(sent);
  return isPath && !/^\/\.stele(?:[/?#]|$)/i.test(sent) ? sent : '/';
}
