// The two ways in which a check fails.

/** Something is wrong in a file: the line and one sentence. Exit code 1. */
export class Fault extends Error {
  constructor(line, sentence) {
    super(sentence);
    this.line = line;
  }
}

/** The check cannot be made, since a file or key is missing or cannot be read. Exit code 2. */
export class CannotCheck extends Error {}
