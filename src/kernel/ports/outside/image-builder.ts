import type { BuildLimits, LeftOut, OnOutput } from './builder.js';
import type { RepoEntry } from './repositories.js';

/** What an image is built of. */
export type ImageSource = {
  /** The files that the build may copy, by paths relative to them all. */
  readonly entries: readonly RepoEntry[];
  readonly content: (entry: RepoEntry) => AsyncIterable<Uint8Array>;
  /** The path of the Dockerfile among them. */
  readonly dockerfile: string;
  /** The images that it begins with and copies from, by their whole names. */
  readonly bases: readonly string[];
  /** Why an instruction that a base adds to every build is not carried out; null where it may be. */
  readonly whyRefused: (instruction: string) => string | null;
};

/** An image that was built, as long as it is not closed. */
export type BuiltImage = {
  /** Of the source: what the build did not have. */
  readonly leftOut: readonly LeftOut[];
  /**
   * The image as an OCI image layout in a tar, which `docker load` and `podman load` take. Made while it is read. Refuses
   * with `too_large` past so many bytes.
   */
  archive(mostBytes: number): AsyncIterable<Uint8Array>;
  /** Nothing is left of it in the engine. Harmless to repeat. */
  close(): Promise<void>;
};

/** An image cannot be built: what the project did, or did not do, in words. */
export class ImageFailed extends Error {
  override readonly name = 'ImageFailed';

  constructor(
    message: string,
    /** Of the command that failed, as a shell has it; null where it is not known, or none did. */
    readonly exitCode: number | null = null,
  ) {
    super(message);
  }
}

/**
 * Where images are built (docs/interface/repositories.md, "Servers and images"): commands of a build have no network.
 */
export abstract class ImageBuilder {
  /** Whether other processes of the service build, and this one never does. */
  readonly isElsewhere: boolean = false;

  /** What keeps this machine from building images, and what to do; null where it can. Tries it the first time. */
  abstract tried(): Promise<string | null>;

  /**
   * Fetches the bases and carries out the Dockerfile. Nothing that it has started lives on. Throws `ImageFailed`, and the
   * reason of an aborted signal; refuses with `builder_unavailable`.
   */
  abstract build(
    source: ImageSource,
    limits: BuildLimits,
    onOutput: OnOutput,
    signal: AbortSignal,
  ): Promise<BuiltImage>;
}
