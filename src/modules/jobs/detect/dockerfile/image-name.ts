/** Path component, tag and digest of an image name (github.com/distribution/reference). */
const PART = /^[a-z0-9]+(?:(?:\.|_{1,2}|-{1,20})[a-z0-9]+){0,20}$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const REGISTRY = /^[a-z0-9.-]{1,253}(?::\d{1,5})?$/;

/** Names that Podman treats as transports to local files if something follows them. */
const WAYS = new Set([
  ...['dir', 'oci', 'oci-archive', 'docker', 'docker-archive', 'docker-daemon', 'containers-storage'],
  ...['ostree', 'sif', 'tarball', 'atomic', 'sha256'],
]);

/** Engines may take such a name for a prefix of the ID of an existing image, whichever site that belongs to. */
const MAY_BE_ID = /^[0-9a-f]{1,64}$/;

export type ImageName = {
  /** Full name with the registry, and the tag or digest. */
  readonly whole: string;
  readonly registry: string;
};

/** Returns null if the text is not a name, or could be something else. */
export function imageName(text: string): ImageName | null {
  if (text.length > 400) return null;
  const [beforeDigest = '', digest, ...more] = text.split('@');
  if (more.length > 0 || (digest !== undefined && !DIGEST.test(digest))) return null;
  const slash = beforeDigest.indexOf('/');
  const first = slash < 0 ? '' : beforeDigest.slice(0, slash);
  const isRegistry = first === 'localhost' || first.includes('.') || first.includes(':');
  const registry = isRegistry ? first : 'docker.io';
  const rest = isRegistry ? beforeDigest.slice(slash + 1) : beforeDigest;
  const colon = rest.indexOf(':');
  const path = colon < 0 ? rest : rest.slice(0, colon);
  const tag = colon < 0 ? null : rest.slice(colon + 1);
  if (!REGISTRY.test(registry) || (tag !== null && !TAG.test(tag))) return null;
  const parts = path.split('/');
  if (parts.length > 10 || !parts.every((part) => PART.test(part))) return null;
  if (!isRegistry && (WAYS.has(path) || MAY_BE_ID.test(path))) return null;
  const inLibrary = !isRegistry && parts.length === 1 ? 'library/' : '';
  const ending = digest === undefined ? `:${tag ?? 'latest'}` : `@${digest}`;
  return { registry, whole: `${registry}/${inLibrary}${path}${ending}` };
}
