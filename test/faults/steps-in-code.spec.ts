import { describe, expect, it } from '@jest/globals';
import { patternOf } from '../support/faults/points/statement-patterns.js';
import { stepsIn, stepsInCode } from '../support/faults/points/steps-in-code.js';
import { unreached } from '../support/faults/points/unreached.js';

const found = (code: string) => stepsIn('src/a.ts', code).map(({ id }) => id);

describe('The durable steps of the code', () => {
  it('are its statements that write, whatever they are written in', () => {
    expect(
      found(`const A = 'insert into people (id) values ($1)'; q(\`delete from \${table} where id = $1\`);`),
    ).toEqual(['src/a.ts insert into people', 'src/a.ts delete from …']);
    expect(found("q('select 1'); q('select id from people for update'); // update people set name = 1")).toEqual([]);
    expect(found('q(`with a as (select 1) update people p set name = $1`)')).toEqual(['src/a.ts update people']);
  });

  it('are what it does to files, and what it asks of others', () => {
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

  it('are known again in the text that is sent', () => {
    const { pattern } = patternOf('insert into \0\n  (a) values ($1) \0');
    expect('with x as (insert into "people" (a) values ($1) returning a)').toMatch(new RegExp(pattern));
  });

  it('are hundreds, each under a name of its own', () => {
    const ids = stepsInCode().map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(400);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('are still there where it is said that no verb reaches them', () => {
    const ids = stepsInCode().map(({ id }) => id);
    const stale = unreached.filter(({ steps }) => !ids.some((id) => steps.test(id)));
    expect(stale).toEqual([]);
  });
});
