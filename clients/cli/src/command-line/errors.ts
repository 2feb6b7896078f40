import { EXIT_CODES, type ExitCode } from './exit-codes.js';

/** A command that is suggested to the user after an error or a result. */
export type NextStep = { readonly command: string; readonly when: string };

/** An error that the command itself detects. Errors of the service are `ProblemError`. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly next: readonly NextStep[];

  constructor(message: string, code: string, exitCode: ExitCode, next: readonly NextStep[] = []) {
    super(message);
    this.code = code;
    this.exitCode = exitCode;
    this.next = next;
  }
}

/** The command line, or a value in it, is invalid. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';

  constructor(message: string, next: readonly NextStep[] = []) {
    super(message, 'usage', EXIT_CODES.usage, next);
  }
}

export class RefusedError extends CommandError {
  override readonly name = 'RefusedError';

  constructor(message: string, code: string, next: readonly NextStep[] = []) {
    super(message, code, EXIT_CODES.refused, next);
  }
}

export class NotSignedInError extends CommandError {
  override readonly name = 'NotSignedInError';

  constructor(message: string, next: readonly NextStep[] = [SIGN_IN, USE_TOKEN]) {
    super(message, 'not_signed_in', EXIT_CODES.notAllowed, next);
  }
}

/** A question must be answered, but the run is not interactive. */
export class AnswerNeededError extends CommandError {
  override readonly name = 'AnswerNeededError';

  constructor(message: string, next: readonly NextStep[]) {
    super(message, 'answer_needed', EXIT_CODES.answerNeeded, next);
  }
}

export class InterruptedError extends CommandError {
  override readonly name = 'InterruptedError';

  constructor() {
    super('Interrupted.', 'interrupted', EXIT_CODES.interrupted);
  }
}

export const SIGN_IN: NextStep = { command: 'stele login', when: 'to sign in on this machine' };
export const LIST_SITES: NextStep = { command: 'stele sites', when: 'to list your sites' };
export const LIST_DEPLOYS: NextStep = { command: 'stele deploys', when: 'to list the deploys of the site' };
export const USE_TOKEN: NextStep = {
  command: 'STELE_INSTANCE=… STELE_TOKEN=… stele …',
  when: 'in a script, with an access token',
};
