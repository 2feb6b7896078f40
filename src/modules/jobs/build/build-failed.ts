/** Fault of the project. The job fails with `build_failed` and this message. */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed';
}
