const LONGEST = 2_000;

/**
 * Where on a site's own host a visitor goes on to: what was sent, as long as it is a path there with its query; else the
 * site's first page. Two slashes would begin another host's address, and browsers take a backslash for a slash; what we
 * have reserved there is never a place to go on to.
 */
export function pathOnSite(sent: string | null | undefined): string {
  const isPath = sent != null && sent.length <= LONGEST && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(sent);
  return isPath && !/^\/\.stele(?:[/?#]|$)/i.test(sent) ? sent : '/';
}
