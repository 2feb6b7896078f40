const MAX_CHARACTERS = 2_000;

/**
 * Returns the path on a site’s own host that a visitor continues to: the path that was sent with its query, or `/` if
 * it is not a path there. Two slashes would begin the address of another host, and browsers treat a backslash as a
 * slash. The reserved path is never a destination.
 */
export function pathOnSite(sent: string | null | undefined): string {
  const isPath = sent != null && sent.length <= MAX_CHARACTERS && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(sent);
  return isPath && !/^\/\.stele(?:[/?#]|$)/i.test(sent) ? sent : '/';
}
