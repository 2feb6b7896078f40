import { describe, expect, it } from '@jest/globals';
import { finderOf, patternOf, WRITES } from '../support/faults/points/statement-patterns.js';
import { stepsIn, stepsInCode } from '../support/faults/points/steps-in-code.js';
import { unreached } from '../support/faults/points/unreached.js';

const found = (code: string) => stepsIn('src/a.ts', code).map(({ id }) => id);

describe('Finding the statements and calls in the code that write data', () => {
  it('SQL statements that write data are found in every kind of string literal', () => {
    expect(
      found(`const A = 'insert into people (id) values ($1)'; q(\`delete from \${table} where id = $1\`);`),
    ).toEqual(['src/a.ts insert into people', 'src/a.ts delete from …']);
    expect(found("q('select 1'); q('select id from people for update'); // update people set name = 1")).toEqual([]);
    expect(found('q(`with a as (select 1) update people p set name = $1`)')).toEqual(['src/a.ts update people']);
  });

  it('file operations and requests to other services are found', () => {
    const code = `
      import { open, rename as move } from 'node:fs/promises';
      import { request as ask } from 'node:https';
      await move('a', 'b');
      await file.datasync();
      await open('a', 'r');
      await open('a', 'wx');
      ask(options);`;
    expect(found(code)).toEqual(['src/a.ts rename', 'src/a.ts file.datasync', 'src/a.ts open', 'src/a.ts request']);
  });

  it('a pattern recognizes the final SQL statement that a template produces', () => {
    const { pattern } = patternOf('insert into \0\n  (a) values ($1) \0');
    expect('with x as (insert into "people" (a) values ($1) returning a)').toMatch(new RegExp(pattern));
  });

  it('a statement is attributed to the string literal that contains it, even if another string embeds that literal', () => {
    const literal = (id: string, template: string) => ({ id, ...patternOf(template) });
    const find = finderOf(
      [
        literal('take', 'with next as (\0) update work set \0 from \0 returning \0'),
        literal('append', 'with rows as (\0), locked as (select lock()) insert into events select * from rows, locked'),
        literal('add', 'insert into people \0'),
        literal('drop', 'delete from \0'),
      ],
      WRITES,
    );
    const ids = (text: string) => find(text).choices.map((all) => all.map(({ id }) => id).join());
    const appending = (rows: string) => `
      with rows as (${rows}), locked as (select lock()) insert into events select * from rows, locked`;
    const take = 'with next as (select 1) update work set state = 2 from next returning id';
    expect(ids(appending(take))).toEqual(['take', 'append']);
    expect(ids(`${take}, case when true then 1 end`)).toEqual(['take']);
    expect(ids(appending('delete from people returning id'))).toEqual(['drop', 'append']);
    expect(ids(appending('delete people'))).toEqual(['append']);
    expect(find('update people set name = 1')).toEqual({ isKnown: false, choices: [] });
    // No template contains this write literally, so it is attributed to a template with a placeholder that can contain
    // it.
    expect(ids(appending('update people set name = 1 returning id'))).toEqual(['append']);
  });

  it('the source contains hundreds of steps that write data, each with a unique name', () => {
    const ids = stepsInCode().map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(400);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('every step in the list of unreached steps exists in the source', () => {
    const ids = stepsInCode().map(({ id }) => id);
    const stale = unreached.filter(({ steps }) => !ids.some((id) => steps.test(id)));
    expect(stale).toEqual([]);
  });
});
