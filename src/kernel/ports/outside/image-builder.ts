import type { BuildLimits, LeftOut, OnOutput } from './builder.js';
import type { RepoEntry } from './repositories.js';

/** The input of an image build. */
export type ImageSource = {
  /** The files that the build can copy. */
  readonly entries: readonly RepoEntry[];
  readonly content: (entry: RepoEntry) => AsyncIterable<Uint8Array>;
  /** The path of the Dockerfile in `entries`. */
  readonly dockerfile: string;
  /** The full names of the images that it starts from or copies from. */
  readonly bases: readonly string[];
  /** Why an instruction that a base image adds to every build is refused; null if it is allowed. */
  readonly whyRefused: (instruction: string) => string | null;
};

/** A built image, usable until it is closed. */
export type BuiltImage = {
  /** Entries of the source that the build did not get. */
  readonly leftOut: readonly LeftOut[];
  /**
   * Streams the image as a tar of an OCI image layout, which `docker load` and `podman load` accept. Refuses with
   * `too_large` if it exceeds `mostBytes`.
   */
  archive(mostBytes: number): AsyncIterable<Uint8Array>;
  /** Removes the image from the engine. Idempotent. */
  close(): Promise<void>;
};

/** An image cannot be built because of the project. The message describes the cause. */
export class ImageBuildError extends Error {
  override readonly name = 'ImageBuildError';

  constructor(
    message: string,
    /** Exit code of the command that failed, as in a shell; null if unknown or no command failed. */
    readonly exitCode: number | null = null,
  ) {
    super(message);
  }
}

/** Builds images (docs/interface/repositories.md, "Servers and images"). Build commands have no network. */
export abstract class ImageBuilder {
  /** Whether builds run in other processes of the service only. */
  readonly isElsewhere: boolean = false;

  /** Why this machine cannot build images, and what to do about it; null if it can. The first call runs a test. */
  abstract tried(): Promise<string | null>;

  /**
   * Fetches the base images and runs the Dockerfile. Ends all processes that it started. Throws `ImageBuildError`, and
   * the reason of an aborted signal; refuses with `builder_unavailable`.
   */
  abstract build(
    source: ImageSource,
    limits: BuildLimits,
    onOutput: OnOutput,
    signal: AbortSignal,
  ): Promise<BuiltImage>;
}
