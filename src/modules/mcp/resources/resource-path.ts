/** Returns the API path for the URI of a resource (`stele://{slug}/files/…`), or null if the URI is invalid. */
export function resourcePath(uri: string): string | null {
  const [, slug = '', what = '', file] = /^stele:\/\/([a-z0-9-]{1,64})\/(files|history)(?:\/(.+))?$/s.exec(uri) ?? [];
  if (slug === '') return null;
  const site = `/v1/sites/${slug}`;
  if (what === 'history') return file === undefined ? `${site}/history?limit=100` : null;
  if (file === undefined) return `${site}/files`;
  const segments = file.split('/').map(decoded);
  // Reject empty segments and segments that consist only of dots. In a URL, they would refer to another path.
  if (segments.some((name) => name === null || !name.isWellFormed() || /^\.*$/.test(name))) return null;
  return `${site}/files/${segments.map((name) => encodeURIComponent(name ?? '')).join('/')}`;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
