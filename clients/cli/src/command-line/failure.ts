import { DeployRefusedError } from 'stele-api/deploy/deploy';
import { FolderChangedError } from 'stele-api/deploy/folder-changed-error';
import { SiteMissingError } from 'stele-api/deploy/live-site';
import { NetworkError, ProblemError } from 'stele-api/problem';
import { oneLine } from '../output/table.js';
import { CommandError, LIST_DEPLOYS, LIST_SITES, type NextStep, SIGN_IN, USE_TOKEN } from './errors.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';

/** Why a command failed, as an error document like those of the service, and what the user can do next. */
export type Failure = {
  readonly exitCode: ExitCode;
  readonly problem: {
    readonly code: string;
    readonly title: string;
    readonly detail: string;
    readonly status?: number;
    readonly suggestion?: string;
    readonly errors?: readonly { readonly path: string; readonly message: string }[];
    readonly [field: string]: unknown;
  };
  readonly next: readonly NextStep[];
};

/** Describes any error for people and for programs. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof CommandError) return describe(error, error.code, error.exitCode, error.next);
  if (error instanceof ProblemError) return describeProblem(error);
  if (error instanceof NetworkError)
    return describe(error, 'network', EXIT_CODES.unreachable, [
      { command: 'stele instances check', when: 'to find out what is wrong with the connection' },
    ]);
  if (error instanceof FolderChangedError)
    return describe(error, 'folder_changed', EXIT_CODES.changedMeanwhile, [
      { command: 'stele deploy', when: 'once nothing changes the folder any more' },
    ]);
  if (error instanceof SiteMissingError)
    return describe(error, 'site_not_found', EXIT_CODES.refused, [
      { command: `stele deploy --site ${error.site} --create`, when: 'to create the site' },
      LIST_SITES,
    ]);
  if (error instanceof DeployRefusedError) return describeRefusedDeploy(error);
  return describeSystemError(error);
}

function describe(error: Error, code: string, exitCode: ExitCode, next: readonly NextStep[]): Failure {
  const [title = '', ...rest] = error.message.split('\n');
  return { exitCode, problem: { code, title, detail: [title, ...rest].join('\n') }, next };
}

function describeProblem(error: ProblemError): Failure {
  const { problem, status, code } = error;
  return {
    exitCode: chooseExitCode(error),
    problem: { ...problem, code, title: problem.title, status, detail: oneLine(error.message) } as Failure['problem'],
    next: suggestNext(status, code),
  };
}

function chooseExitCode({ status, code }: ProblemError): ExitCode {
  if (code === 'revision_mismatch') return EXIT_CODES.changedMeanwhile;
  if (status === 401 || status === 403 || status === 407) return EXIT_CODES.notAllowed;
  // `quota_exceeded` has status 429 too, but trying again does not help.
  const isBusy = code === 'rate_limited' || (status >= 502 && status <= 504);
  return isBusy ? EXIT_CODES.unreachable : EXIT_CODES.refused;
}

function suggestNext(status: number, code: string): NextStep[] {
  if (code === 'revision_mismatch')
    return [
      { command: 'stele history', when: 'to see who changed the site' },
      { command: 'stele deploy', when: 'to compare with the current state and deploy again' },
    ];
  if (status === 401 || code === 'edit_token_invalid') return [SIGN_IN, USE_TOKEN];
  if (code === 'slug_taken')
    return [{ command: 'stele deploy --site OTHER-NAME --create', when: 'to use another name' }];
  if (code === 'site_not_found') return [LIST_SITES];
  if (code === 'deploy_not_found') return [LIST_DEPLOYS];
  return [];
}

function describeRefusedDeploy({ problems, message }: DeployRefusedError): Failure {
  const codes = new Set(problems.map(({ code }) => code));
  const isAboutRights = ['unauthenticated', 'forbidden', 'edit_token_invalid'].some((code) => codes.has(code as never));
  return {
    exitCode: isAboutRights ? EXIT_CODES.notAllowed : EXIT_CODES.refused,
    problem: {
      code: problems[0]?.code ?? 'refused',
      title: 'The service would refuse this deploy, so nothing was sent.',
      detail: message,
      errors: problems.map(({ path, message: text }) => ({ path: path ?? '', message: text })),
    },
    next: codes.has('slug_taken') ? suggestNext(409, 'slug_taken') : isAboutRights ? [SIGN_IN, USE_TOKEN] : [],
  };
}

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'You do not have permission to read or write',
  EPERM: 'You do not have permission to read or write',
  ENOENT: 'There is no such file or folder',
  ENOTDIR: 'Part of the path is a file and not a folder',
  EISDIR: 'This is a folder and not a file',
  ENOSPC: 'The disk is full',
  EROFS: 'The file system is read-only',
  EMFILE: 'Too many files are open. Raise the limit with “ulimit -n”',
};

function describeSystemError(error: unknown): Failure {
  if (error instanceof SyntaxError) {
    const title = 'The response is not valid JSON. Check that the address is that of a Stele instance.';
    const next = [{ command: 'stele instances check', when: 'to see which instance was used' }];
    return { exitCode: EXIT_CODES.refused, problem: { code: 'unexpected_response', title, detail: title }, next };
  }
  const { code, path, message } = error as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : SYSTEM_ERRORS[code];
  const text = known ? `${known}${path ? `: ${path}` : ''}.` : `Unexpected error: ${message ?? error}`;
  return { exitCode: EXIT_CODES.refused, problem: { code: code ?? 'internal', title: text, detail: text }, next: [] };
}
