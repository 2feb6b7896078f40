import { type Instruction, parseInstructions, refused, UnsupportedDockerfileError } from './instructions.js';

/** Parts of an image name (github.com/distribution/reference). */
const PART = /^[a-z0-9]+(?:(?:\.|_{1,2}|-{1,20})[a-z0-9]+){0,20}$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const REGISTRY = /^[a-z0-9.-]{1,253}(?::\d{1,5})?$/;

/** Names that Podman interprets as transports to local files if a colon follows. */
const WAYS = new Set([
  ...['dir', 'oci', 'oci-archive', 'docker', 'docker-archive', 'docker-daemon', 'containers-storage'],
  ...['ostree', 'sif', 'tarball', 'atomic', 'sha256'],
]);

/**
 * Image names that engines may interpret as the beginning of an image ID. The ID might be that of another site's image.
 */
const MAY_BE_ID = /^[0-9a-f]{1,64}$/;

type ImageName = {
  /** Full name of the image, including the registry and the tag or digest. */
  readonly whole: string;
  readonly registry: string;
};

/** Parses an image name. Returns null if the string is not an image name or could mean something else. */
function imageName(text: string): ImageName | null {
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

const KNOWN = new Set([
  ...['FROM', 'RUN', 'CMD', 'LABEL', 'MAINTAINER', 'EXPOSE', 'ENV', 'ADD', 'COPY', 'ENTRYPOINT', 'VOLUME', 'USER'],
  ...['WORKDIR', 'ARG', 'ONBUILD', 'STOPSIGNAL', 'HEALTHCHECK', 'SHELL'],
]);

type Reading = {
  readonly registries: readonly string[];
  readonly stages: Set<string>;
  readonly bases: Set<string>;
  readonly defaults: Map<string, string>;
  count: number;
};

/**
 * Returns the full names of the images that a Dockerfile starts from or copies from. Throws
 * `UnsupportedDockerfileError` for anything that would reach outside the build (docs/interface/repositories.md,
 * "Servers and images") and for features that the builders here do not support.
 */
export function findBaseImages(text: string, registries: readonly string[]): string[] {
  const reading: Reading = { registries, stages: new Set(), bases: new Set(), defaults: new Map(), count: 0 };
  for (const instruction of parseInstructions(text)) read(instruction, reading);
  if (reading.count === 0) throw new UnsupportedDockerfileError('It has no FROM instruction.');
  return [...reading.bases];
}

/** Returns the reason why an ONBUILD instruction of an image is refused, or null if it is allowed. */
export function whyTriggerRefused(trigger: string, registries: readonly string[]): string | null {
  const reading: Reading = { registries, stages: new Set(), bases: new Set(), defaults: new Map(), count: 1 };
  try {
    for (const instruction of parseInstructions(trigger)) {
      read(instruction, reading);
      // An image that an ONBUILD instruction requires is not known before the build, so it can't be fetched and checked
      // in advance.
      if (instruction.name === 'FROM' || reading.bases.size > 0) return 'It requires another image.';
    }
    return null;
  } catch (error) {
    if (error instanceof UnsupportedDockerfileError) return error.message;
    throw error;
  }
}

function read(instruction: Instruction, reading: Reading): void {
  const { line, name, rest } = instruction;
  if (!KNOWN.has(name)) throw refused(line, `has an unknown instruction: ${name.slice(0, 40)}`);
  if (name === 'FROM') readFrom(instruction, reading);
  else if (name === 'ARG' && reading.count === 0) readDefault(instruction, reading);
  else if (reading.count === 0) throw refused(line, `has ${name} before the first FROM`);
  if (name === 'RUN' || name === 'ADD' || name === 'COPY') {
    if (rest.includes('<<'))
      throw refused(line, 'has a here-document, which is not supported because builds here do not use BuildKit');
  }
  if (name === 'RUN' && flagsOf(rest).length > 0)
    throw refused(
      line,
      `passes ${flagsOf(rest)[0]?.slice(0, 60)} to RUN, which supports no options here. Commands run without network access`,
    );
  if (name === 'COPY' || name === 'ADD') readCopy(instruction, reading);
  if (name === 'ONBUILD') {
    const [triggered] = parseInstructions(rest);
    if (!triggered || triggered.name === 'FROM' || triggered.name === 'ONBUILD')
      throw refused(line, 'has an invalid ONBUILD: it must be followed by an instruction other than FROM or ONBUILD');
    read({ ...triggered, line }, reading);
  }
}

function readFrom({ line, rest }: Instruction, reading: Reading): void {
  const words = rest.split(/\s+/);
  const platform = words.filter((word) => word.startsWith('--'));
  if (platform.length > 0)
    throw refused(
      line,
      `passes ${platform[0]?.slice(0, 60)} to FROM: images are only built for the platform of this machine`,
    );
  const [asked = '', as, stage, ...more] = words;
  if (more.length > 0 || (as !== undefined && (as.toLowerCase() !== 'as' || stage === undefined)))
    throw refused(line, 'has an invalid FROM');
  const named = withDefaults(asked, reading.defaults);
  reading.count++;
  if (!reading.stages.has(named.toLowerCase())) addBase(named, line, reading);
  reading.stages.add(String(reading.count - 1));
  if (stage !== undefined) {
    if (!/^[a-zA-Z][\w.-]{0,127}$/.test(stage)) throw refused(line, 'has an invalid stage name');
    reading.stages.add(stage.toLowerCase());
  }
}

function addBase(named: string, line: number, { bases, registries }: Reading): void {
  if (named === 'scratch') return;
  if (named.includes('$'))
    throw refused(line, 'has an image name with a variable whose value cannot be determined from the file');
  const image = imageName(named);
  if (!image)
    throw refused(
      line,
      `has an invalid or ambiguous image name: ${named.slice(0, 80)}. Use the full name with its registry, such as docker.io/library/node:24`,
    );
  if (!registries.includes(image.registry))
    throw refused(
      line,
      `uses an image from ${image.registry}, but only images from these registries are allowed: ${registries.join(', ')} (STELE_IMAGE_REGISTRIES)`,
    );
  bases.add(image.whole);
}

function readDefault({ rest }: Instruction, { defaults }: Reading): void {
  const [, name = '', value] = /^([A-Za-z_]\w{0,100})(?:=(.*))?$/s.exec(rest) ?? [];
  if (name !== '' && value !== undefined)
    defaults.set(name, withDefaults(value.replace(/^(["'])(.*)\1$/, '$2'), defaults));
}

/**
 * Replaces variables in an image name. Supports only plain variable names; other substitutions remain and make the
 * image name invalid.
 */
const withDefaults = (text: string, defaults: ReadonlyMap<string, string>) =>
  text.replace(
    /\$(?:\{([A-Za-z_]\w{0,100})\}|([A-Za-z_]\w{0,100}))/g,
    (whole, braced, bare) => defaults.get(braced ?? bare) ?? whole,
  );

function readCopy({ line, name, rest }: Instruction, reading: Reading): void {
  for (const flag of flagsOf(rest)) {
    const [, option, value = ''] = /^--([a-z-]+)(?:=(.*))?$/s.exec(flag) ?? [];
    if (name === 'COPY' && option === 'from') {
      if (value.includes('$')) throw refused(line, 'has a COPY --from with a variable, which is not supported');
      if (!reading.stages.has(value.toLowerCase())) addBase(value, line, reading);
    } else if (option !== 'chown' && option !== 'chmod')
      throw refused(line, `passes ${flag.slice(0, 60)} to ${name}, which is not supported`);
  }
  if (name === 'ADD' && /[$\\%]|:\/\/|git@/.test(rest))
    throw refused(
      line,
      'has an ADD whose source may be outside the repository. ADD can only copy files from the repository',
    );
}

const flagsOf = (rest: string): readonly string[] => {
  const flags: string[] = [];
  for (const word of rest.split(/\s+/)) {
    if (!word.startsWith('--')) break;
    flags.push(word);
  }
  return flags;
};
