/** A line of a file is invalid. `sentence` says why. Exit code 1. */
export class Fault extends Error {
  constructor(line, sentence) {
    super(sentence);
    this.line = line;
  }
}

/** A file or key is missing or unreadable. Exit code 2. */
export class CannotCheck extends Error {}
