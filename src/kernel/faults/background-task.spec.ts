import { beforeEach, describe, expect, it } from '@jest/globals';
import { BackgroundTask, backgroundFailures, logBackgroundTasks } from './background-task.js';

const lines: string[] = [];
const away = async () => {
  throw new Error('the database is away');
};
const back = async () => 'done';

beforeEach(() => {
  lines.length = 0;
  logBackgroundTasks((line) => lines.push(line));
});

describe('A background task', () => {
  it('is listed with zero failures before its first run', () => {
    new BackgroundTask('never_ran');
    expect(backgroundFailures().get('never_ran')).toBe(0);
  });

  it('counts every failure, but logs only the first of several in a row, and the recovery', async () => {
    const task = new BackgroundTask('clean_up');
    for (const work of [back, away, away, away, back, back]) await task.run(work);
    expect(backgroundFailures().get('clean_up')).toBe(3);
    expect(lines).toEqual([
      'clean_up failed (repeated failures are not logged): the database is away',
      'clean_up works again after 3 failures.',
    ]);
  });

  it('logs a failure again after it has recovered', async () => {
    const task = new BackgroundTask('now_and_then');
    for (const work of [away, back, away]) await task.run(work);
    expect(lines).toEqual([
      'now_and_then failed (repeated failures are not logged): the database is away',
      'now_and_then works again after 1 failure.',
      'now_and_then failed (repeated failures are not logged): the database is away',
    ]);
  });

  it('reports whether it succeeded, and never rejects', async () => {
    const task = new BackgroundTask('told');
    expect(await task.run(back)).toBe(true);
    expect(await task.run(away)).toBe(false);
    expect(await task.run(() => Promise.reject('no error at all'))).toBe(false);
  });

  it('has the methods `failed` and `succeeded`, which can be passed to a promise', async () => {
    const task = new BackgroundTask('handed_on');
    await away().catch(task.failed);
    await back().then(task.succeeded);
    expect(backgroundFailures().get('handed_on')).toBe(1);
    expect(lines).toHaveLength(2);
  });

  it('shares its failure count with another task of the same name, but logs failures separately', async () => {
    const [one, other] = [new BackgroundTask('shared'), new BackgroundTask('shared')];
    await one.run(away);
    await other.run(away);
    await other.run(back);
    expect(backgroundFailures().get('shared')).toBe(2);
    expect(lines).toEqual([
      'shared failed (repeated failures are not logged): the database is away',
      'shared failed (repeated failures are not logged): the database is away',
      'shared works again after 1 failure.',
    ]);
  });
});
