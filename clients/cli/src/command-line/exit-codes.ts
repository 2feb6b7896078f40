/** The help and the guide document these codes. Adding a code must not make a command fail that used to succeed. */
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
  1    refused by the instance, or failed for another reason
  2    wrong usage, or Node is too old
  3    not signed in, or not allowed
  4    a question needs an answer, but the run is not interactive
  5    the instance could not be reached, or is unavailable
  6    the site or the folder changed in the meantime
  130  interrupted
New codes may be added, but commands that succeed today will still exit with 0.`;
