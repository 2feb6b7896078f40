import type { BuildLimits, LeftOut, OnOutput } from './builder.js';
import type { RepoEntry } from './repositories.js';

export type ImageSource = {
  readonly entries: readonly RepoEntry[];
  readonly content: (entry: RepoEntry) => AsyncIterable<Uint8Array>;
  /** The path of the Dockerfile in `entries`. */
  readonly dockerfile: string;
  /** Full names of the images on which the build is based or from which it copies. */
  readonly bases: readonly string[];
  /** Returns the reason why an `ONBUILD` instruction of a base image is refused, or null if it is allowed. */
  readonly whyRefused: (instruction: string) => string | null;
};

/** A built image, usable until it is closed. */
export type BuiltImage = {
  readonly leftOut: readonly LeftOut[];
  /** Streams the image as a tar of an OCI image layout. Refuses with `too_large` if it exceeds `mostBytes`. */
  archive(mostBytes: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
};

/** Thrown if the image cannot be built because of the project itself. The message describes the cause. */
export class ImageBuildError extends Error {
  override readonly name = 'ImageBuildError';

  constructor(
    message: string,
    /** Exit code of the failed command, or null if it is unknown or no command failed. */
    readonly exitCode: number | null = null,
  ) {
    super(message);
  }
}

/** Builds images (docs/interface/repositories.md, "Servers and images"). Build commands have no network access. */
export abstract class ImageBuilder {
  /** True if builds run only in other processes of the service. */
  readonly isElsewhere: boolean = false;

  /**
   * Returns the reason why this machine cannot build images, with a remedy, or null if it can. The first call tests the
   * machine.
   */
  abstract tried(): Promise<string | null>;

  /**
   * Fetches the base images and runs the Dockerfile. Ends all processes that it started. Throws `ImageBuildError`, or
   * the reason of an aborted signal. Refuses with `builder_unavailable`.
   */
  abstract build(
    source: ImageSource,
    limits: BuildLimits,
    onOutput: OnOutput,
    signal: AbortSignal,
  ): Promise<BuiltImage>;
}
