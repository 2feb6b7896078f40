/** An error in the project. The job fails with `build_failed` and this message. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
}
