// Two ways in which a check does not end well.

/** Something is wrong in a file: which line, and why, in one sentence. Exit code 1. */
export class Fault extends Error {
  constructor(line, sentence) {
    super(sentence);
    this.line = line;
  }
}

/** The check cannot be made: a file or a key is missing or is none. Exit code 2. */
export class CannotCheck extends Error {}
