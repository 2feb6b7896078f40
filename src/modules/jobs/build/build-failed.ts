/** What a project did, or did not do: the job fails with `build_failed`, and the message says it. */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed';
}
