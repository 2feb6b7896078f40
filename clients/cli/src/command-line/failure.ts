import type { Command } from 'commander';
import { DeployRefusedError } from 'stele-api/deploy/deploy';
import { FolderChangedError } from 'stele-api/deploy/folder-changed-error';
import { SiteMissingError } from 'stele-api/deploy/live-site';
import { ResponseTooLargeError } from 'stele-api/network/bodies';
import { NetworkError, ProblemError } from 'stele-api/problem';
import { oneLine } from '../output/table.js';
import { CommandError, LIST_DEPLOYS, LIST_SITES, type NextStep, SIGN_IN, USE_TOKEN } from './errors.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { reword } from './plain-words.js';

/** Why a command failed, as text for a terminal and as an error document, and what the user can do next. */
export type Failure = {
  readonly exitCode: ExitCode;
  /** The text for a terminal, in one or more lines. */
  readonly message: string;
  readonly problem: {
    readonly code: string;
    readonly title: string;
    readonly detail: string;
    readonly status?: number;
    readonly [field: string]: unknown;
  };
  readonly next: readonly NextStep[];
};

/** Describes any error for people and for programs. `command` is the command that failed, if it is known. */
export function describeFailure(error: unknown, command?: Command): Failure {
  if (error instanceof CommandError) return describe(error, error.code, error.exitCode, error.next);
  if (error instanceof ProblemError) return describeProblem(error, command);
  if (error instanceof NetworkError)
    return describe(error, 'network', EXIT_CODES.unreachable, [
      { command: 'stele instances check', when: 'to find out what is wrong with the connection' },
    ]);
  if (error instanceof FolderChangedError)
    return describe(error, 'folder_changed', EXIT_CODES.changedMeanwhile, [
      { command: 'stele deploy', when: 'once nothing is changing the folder any more' },
    ]);
  if (error instanceof SiteMissingError)
    return describe(error, 'site_not_found', EXIT_CODES.refused, [
      { command: `stele deploy --site ${error.site} --create`, when: 'to create the site' },
      LIST_SITES,
    ]);
  if (error instanceof DeployRefusedError) return describeRefusedDeploy(error, command);
  // Node's `fetch` throws this error if a connection breaks while a download is read.
  if (error instanceof TypeError && error.message === 'terminated')
    return describe(
      new Error('The connection broke before the response was complete.'),
      'network',
      EXIT_CODES.unreachable,
      [],
    );
  return describeSystemError(error);
}

function describe({ message }: Error, code: string, exitCode: ExitCode, next: readonly NextStep[]): Failure {
  const [title = ''] = message.split('\n');
  return { exitCode, message, problem: { code, title, detail: message }, next };
}

function describeProblem(error: ProblemError, command?: Command): Failure {
  const { problem, status, code, retryAfter } = error;
  const next = suggestNext(status, code, command);
  const advice = retryAfter ? `Try again in ${retryAfter} s.` : next.length === 0 ? problem.suggestion : undefined;
  const errors = (problem.errors ?? [])
    .filter(({ message }) => !error.message.includes(message))
    // Do not reword the path, because it can contain words that `reword` removes.
    .map(({ path, message }) => `  ${path === '' ? '' : `${oneLine(path)}: `}${reword(oneLine(message), command)}`);
  const [detail, suggestion] = [error.message, advice ?? ''].map((text) => reword(oneLine(text), command));
  return {
    exitCode: chooseExitCode(error),
    message: [detail || `${problem.title}.`, ...errors, ...(suggestion ? [suggestion] : [])].join('\n'),
    problem: { ...problem, code, title: problem.title, status, detail: oneLine(error.message) },
    next,
  };
}

function chooseExitCode({ status, code }: ProblemError): ExitCode {
  if (code === 'revision_mismatch') return EXIT_CODES.changedMeanwhile;
  if (status === 401 || status === 403 || status === 407) return EXIT_CODES.notAllowed;
  // `quota_exceeded` has status 429 too, but trying again does not help.
  const isBusy = code === 'rate_limited' || (status >= 502 && status <= 504);
  return isBusy ? EXIT_CODES.unreachable : EXIT_CODES.refused;
}

function suggestNext(status: number, code: string, command?: Command): NextStep[] {
  if (code === 'revision_mismatch')
    return [
      { command: 'stele history', when: 'to see who changed the site' },
      { command: 'stele deploy', when: 'to compare with the current state and deploy again' },
    ];
  if (status === 401 || code === 'edit_token_invalid') return [SIGN_IN, USE_TOKEN];
  if (code === 'slug_taken' && command?.name() === 'deploy')
    return [{ command: 'stele deploy --site OTHER-NAME --create', when: 'to use another name' }];
  if (code === 'site_not_found') return [LIST_SITES];
  if (code === 'capability_disabled')
    return [{ command: 'stele capabilities NAME --on', when: 'to turn the capability on' }];
  if (code === 'already_member') return [{ command: 'stele members role ADDRESS ROLE', when: 'to change the role' }];
  if (code === 'deploy_not_found') return [LIST_DEPLOYS];
  return [];
}

function describeRefusedDeploy({ problems, message: detail }: DeployRefusedError, command?: Command): Failure {
  const title = 'The service would refuse this deploy, so nothing was sent.';
  const lines = problems.map(({ path, message }) => {
    const reason = reword(message, command);
    return path ? `${path}: ${reason}` : reason;
  });
  const codes = new Set(problems.map(({ code }) => code));
  const isAboutRights = ['unauthenticated', 'forbidden', 'edit_token_invalid'].some((code) => codes.has(code as never));
  return {
    exitCode: isAboutRights ? EXIT_CODES.notAllowed : EXIT_CODES.refused,
    message: lines.filter((line) => line !== '').join('\n') || title,
    problem: {
      code: problems[0]?.code ?? 'refused',
      title,
      detail,
      errors: problems.map(({ path = '', message }) => ({ path, message })),
    },
    next: codes.has('slug_taken') ? suggestNext(409, 'slug_taken', command) : isAboutRights ? [SIGN_IN, USE_TOKEN] : [],
  };
}

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'Permission denied',
  EPERM: 'Permission denied',
  ENOENT: 'There is no such file or folder',
  ENOTDIR: 'Part of the path is a file and not a folder',
  EISDIR: 'This is a folder and not a file',
  ENOSPC: 'The disk is full',
  EROFS: 'The file system is read-only',
  EMFILE: 'Too many files are open. Raise the limit with “ulimit -n”',
};

function describeSystemError(error: unknown): Failure {
  if (error instanceof SyntaxError || error instanceof ResponseTooLargeError) {
    const reason = error instanceof SyntaxError ? 'The response is not valid JSON.' : error.message;
    return describe(
      new Error(`${reason} Check that the address is that of a Stele instance.`),
      'unexpected_response',
      EXIT_CODES.refused,
      [{ command: 'stele instances check', when: 'to see which instance was used' }],
    );
  }
  const { code, path, message } = error as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : SYSTEM_ERRORS[code];
  const text = known ? `${known}${path ? `: ${path}` : ''}.` : `Unexpected error: ${message ?? error}`;
  return describe(new Error(text), code ?? 'internal', EXIT_CODES.refused, []);
}
