import type { BuildLimits, LeftOut, OnOutput } from './builder.js';
import type { RepoEntry } from './repositories.js';

/** The input for an image build. */
export type ImageSource = {
  /** The files that the build can copy. */
  readonly entries: readonly RepoEntry[];
  readonly content: (entry: RepoEntry) => AsyncIterable<Uint8Array>;
  /** The path of the Dockerfile in `entries`. */
  readonly dockerfile: string;
  /** The full names of the images on which the build is based or from which it copies. */
  readonly bases: readonly string[];
  /** Returns why an instruction that a base image adds to every build is refused, or null if it is allowed. */
  readonly whyRefused: (instruction: string) => string | null;
};

/** A built image. It can be used until it is closed. */
export type BuiltImage = {
  /** Source entries that were left out of the build. */
  readonly leftOut: readonly LeftOut[];
  /**
   * Streams the image as a tar of an OCI image layout, which `docker load` and `podman load` accept. Refuses with
   * `too_large` if it exceeds `mostBytes`.
   */
  archive(mostBytes: number): AsyncIterable<Uint8Array>;
  /** Removes the image from the engine. Idempotent. */
  close(): Promise<void>;
};

/** Thrown if the project itself is the reason why an image cannot be built. The message describes the cause. */
export class ImageBuildError extends Error {
  override readonly name = 'ImageBuildError';

  constructor(
    message: string,
    /** Exit code of the command that failed, as in a shell. Null if it is unknown or no command failed. */
    readonly exitCode: number | null = null,
  ) {
    super(message);
  }
}

/** Builds images (docs/interface/repositories.md, "Servers and images"). Build commands have no network access. */
export abstract class ImageBuilder {
  /** Whether builds run only in other processes of the service. */
  readonly isElsewhere: boolean = false;

  /**
   * Returns why this machine cannot build images and what to do about it, or null if it can. The first call tests this.
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
