/** An error in the project. The job fails with `build_failed` and this message. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
}

/** The job was ended while a command was running. The message describes the command and its blocked connections. */
export class InterruptedCommandError extends Error {
  override readonly name = 'InterruptedCommandError';
}
