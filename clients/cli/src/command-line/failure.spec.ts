import { describe, expect, it } from '@jest/globals';
import { DeployRefusedError } from 'stele-api/deploy/deploy';
import { FolderChangedError } from 'stele-api/deploy/folder-changed-error';
import { SiteMissingError } from 'stele-api/deploy/live-site';
import { ResponseTooLargeError } from 'stele-api/network/bodies';
import { NetworkError, ProblemError } from 'stele-api/problem';
import { Command } from './command.js';
import { AnswerNeededError, InterruptedError, NotSignedInError, UsageError } from './errors.js';
import { describeFailure } from './failure.js';

const problem = (status: number, code: string) =>
  new ProblemError({ status, code, title: 'Title', detail: 'Detail.' } as ProblemError['problem']);

/**
 * Returns what the terminal shows when the service responds with an error to a command with these arguments and
 * options.
 */
function show(
  detail: string,
  { code = 'invalid_request', suggestion = '', retryAfter = 0, usage = 'deploy --site' } = {},
) {
  const [name = '', ...words] = usage.split(' ');
  const command = new Command('stele').command(name);
  for (const word of words) word.startsWith('--') ? command.option(`${word} <value>`) : command.argument(word);
  const document = { status: 400, code, title: 'Title', detail, ...(suggestion && { suggestion }) };
  return describeFailure(new ProblemError(document as ProblemError['problem'], retryAfter || undefined), command);
}

describe('describeFailure', () => {
  it.each([
    ['wrong usage', new UsageError('a'), 2],
    ['nobody signed in', new NotSignedInError('a'), 3],
    ['a question without an answer', new AnswerNeededError('a', []), 4],
    ['Ctrl-C', new InterruptedError(), 130],
    ['no connection', new NetworkError('http://a.example', new Error('a')), 5],
    ['a folder that changed', new FolderChangedError('a'), 6],
    ['a site that is missing', new SiteMissingError('a'), 1],
    ['a refused deploy', new DeployRefusedError([{ code: 'no_files', message: 'a' }]), 1],
    ['a deploy without the right to it', new DeployRefusedError([{ code: 'forbidden', message: 'a' }]), 3],
    ['an expired token', problem(401, 'unauthenticated'), 3],
    ['a missing right', problem(403, 'forbidden'), 3],
    ['a site that changed', problem(412, 'revision_mismatch'), 6],
    ['an overloaded service', problem(503, 'unavailable'), 5],
    ['a rate limit', problem(429, 'rate_limited'), 5],
    ['a quota that is used up', problem(429, 'quota_exceeded'), 1],
    ['a conflict', problem(409, 'slug_taken'), 1],
    ['a full disk', Object.assign(new Error('write'), { code: 'ENOSPC' }), 1],
    ['an error of the command', new TypeError('a'), 1],
  ])('sets the exit code for this failure: %s', (_, error, exitCode) => {
    expect(describeFailure(error).exitCode).toBe(exitCode);
  });

  it('keeps the service’s error document', () => {
    expect(describeFailure(problem(404, 'site_not_found'))).toMatchObject({
      problem: { status: 404, code: 'site_not_found', title: 'Title', detail: 'Detail.' },
      next: [{ command: 'stele sites' }],
    });
  });

  it('suggests checking the address after a response that no instance sends', () => {
    const { message, exitCode } = describeFailure(
      new ResponseTooLargeError('http://a.example/v1', 'a line', 4_194_304),
    );
    expect([message, exitCode]).toEqual([
      'http://a.example sent a line of more than 4 MiB. Check that the address is that of a Stele instance.',
      1,
    ]);
  });

  it('a download whose connection breaks counts as a network error', () => {
    const { exitCode, message } = describeFailure(new TypeError('terminated'));
    expect([exitCode, message]).toEqual([5, 'The connection broke before the response was complete.']);
  });

  it('shows every path of an error, even if it contains words about HTTP', () => {
    const document = {
      ...{ status: 422, code: 'invalid_path', title: 'Title', detail: 'Two paths are invalid.' },
      errors: [{ path: 'img/header (1).png', message: 'must not contain spaces' }],
    };
    expect(describeFailure(new ProblemError(document as ProblemError['problem'])).message).toBe(
      'Two paths are invalid.\n  img/header (1).png: must not contain spaces',
    );
  });

  it('names the file that caused a system error', () => {
    const error = Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/a' });
    expect(describeFailure(error).problem.detail).toBe('Permission denied: /a.');
  });

  it.each([
    ['Sign in, or send the site’s edit token in the x-svc-edit-token header.', 'Title.'],
    ['Sign in first: POST /v1/auth/start with your email address.', 'Title.'],
    ['This is a connector token. It is only valid for GET /v1/connector/poll.', 'This is a connector token.'],
    ['The token in x-svc-upload-token has expired. Send another preflight request to get a new one.', 'Title.'],
    [
      'Uploads are limited to 2 files. Deploy them, or cancel some with DELETE /v1/uploads/{sha256}.',
      'Uploads are limited to 2 files.',
    ],
    [
      'Add it as a secret of the site (PUT /v1/sites/a/secrets/B) and deploy again.',
      'Add it as a secret of the site and deploy again.',
    ],
    ['This slug belongs to another site.', 'This name belongs to another site.'],
    ['The file _headers is too large.', 'The file _headers is too large.'],
    ['“parts/header.php” is never published.', '“parts/header.php” is never published.'],
    [
      'There is no site at “slug”. Use a path such as /slug/a.',
      'There is no site at “slug”. Use a path such as /slug/a.',
    ],
  ])('does not mention HTTP in a terminal: %s', (detail, shown) => {
    expect(show(detail)).toMatchObject({ message: shown, problem: { detail } });
  });

  it.each([
    [
      'Sign in as an owner. For a script, create an access token: POST /v1/sites/{slug}/tokens.',
      'Sign in as an owner.',
    ],
    ['Choose another slug.', 'Choose another name.'],
    ['See /openapi.json for the fields that this request accepts.', null],
    ['Send multipart parts named “files”, JSON such as {"files":[]}, or a text/html body.', null],
    ['Set Content-Type to application/json.', null],
    ['Use a method listed in the Allow header.', null],
    ['Use the editToken from the response to the site’s first deploy.', null],
    ['Upload the files named in “errors”, then send the request again.', null],
  ])('shows a suggestion only if it does not mention HTTP: %s', (suggestion, shown) => {
    expect(show('Detail.', { suggestion })).toMatchObject({
      message: shown ? `Detail.\n${shown}` : 'Detail.',
      problem: { suggestion },
    });
  });

  it('shows its own next step instead of the suggestion of the service', () => {
    const shown = show('Detail.', { code: 'deploy_not_found', suggestion: 'List the deploys.' });
    expect(shown).toMatchObject({ message: 'Detail.', next: [{ command: 'stele deploys' }] });
    expect(show('Detail.', { code: 'rate_limited', retryAfter: 40 }).message).toBe('Detail.\nTry again in 40 s.');
  });

  it.each([
    ['deploy --site', '`slug` must have 3 characters.', '--site must have 3 characters.'],
    ['rename <name> --site', '`slug` must have 3 characters.', 'NAME must have 3 characters.'],
    ['claim [site] --email', '`email` must be an email address.', '--email must be an email address.'],
    ['invite <email>', '`email` must be an email address.', 'EMAIL must be an email address.'],
    ['tokens --expires', '`expiresAt` must be in the future.', '--expires must be in the future.'],
    ['capabilities --config', '`config.hosts` must be a list.', '--config.hosts must be a list.'],
    ['deploy --site', '`files` must not be empty.', 'The deploy must not be empty.'],
    ['deploy --site', '`constructor` is not allowed.', '`constructor` is not allowed.'],
  ])('names the argument or option of stele %s instead of a field', (usage, detail, shown) => {
    expect(show(detail, { usage }).message).toBe(shown);
  });

  it('rewords fields in the reasons why a deploy would be refused', () => {
    const error = new DeployRefusedError([{ code: 'no_files', message: '`files` must not be empty.' }]);
    expect(describeFailure(error)).toMatchObject({
      message: 'The deploy must not be empty.',
      problem: { detail: '`files` must not be empty.' },
    });
  });

  it('shows the path of a file that would be refused, and never shows an empty message', () => {
    const problems = [
      { code: 'invalid_path' as const, path: 'header/slug.html', message: 'This name is too long.' },
      { code: 'unauthenticated' as const, message: 'Send the edit token in the x-svc-edit-token header.' },
    ];
    expect(describeFailure(new DeployRefusedError(problems)).message).toBe('header/slug.html: This name is too long.');
    expect(describeFailure(new DeployRefusedError(problems.slice(1))).message).toMatch(/^The service would refuse/);
  });

  it('suggests another name only to a command that creates a site', () => {
    expect(show('Taken.', { code: 'slug_taken', usage: 'deploy --site --create' }).next).toHaveLength(1);
    expect(show('Taken.', { code: 'slug_taken', usage: 'rename <name> --site' }).next).toEqual([]);
  });
});
