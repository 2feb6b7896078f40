import { describe, expect, it } from '@jest/globals';
import { DeployRefusedError } from 'stele-api/deploy/deploy';
import { FolderChangedError } from 'stele-api/deploy/folder-changed-error';
import { SiteMissingError } from 'stele-api/deploy/live-site';
import { NetworkError, ProblemError } from 'stele-api/problem';
import { AnswerNeededError, InterruptedError, NotSignedInError, UsageError } from './errors.js';
import { describeFailure } from './failure.js';

const problem = (status: number, code: string) =>
  new ProblemError({ status, code, title: 'Title', detail: 'Detail.' } as ProblemError['problem']);

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
    expect(describeFailure(problem(409, 'slug_taken'))).toMatchObject({
      problem: { status: 409, code: 'slug_taken', title: 'Title', detail: 'Detail.' },
      next: [{ command: 'stele deploy --site OTHER-NAME --create' }],
    });
  });

  it('names the file that caused a system error', () => {
    const error = Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/a' });
    expect(describeFailure(error).problem.detail).toBe('You do not have permission to read or write: /a.');
  });
});
