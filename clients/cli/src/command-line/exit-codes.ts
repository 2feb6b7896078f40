/** A command that succeeded does not begin to fail because a code was added to this list. */
export const EXIT_CODES = {
  done: 0,
  refused: 1,
  usage: 2,
  notAllowed: 3,
  answerNeeded: 4,
  unreachable: 5,
  changedMeanwhile: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

export const EXIT_CODES_HELP = `Exit codes:
  0    done
  1    refused, or failed for another reason
  2    the command was not written correctly, or Node is too old
  3    not signed in, or not allowed
  4    an answer was needed, and nobody is there to give it
  5    the instance could not be reached, or is not available
  6    the site or the folder changed in the meantime
  130  interrupted
A command that succeeds today will not fail because a code is added.`;
