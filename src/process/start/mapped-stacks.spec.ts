import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transformSync } from '@swc/core';

const SOURCE = `
type Unused = {
  readonly text: string;
};

class Refused extends TypeError {
  override readonly name = 'Refused';
}
function fails(): never {
  throw new Refused('No.');
}
export const stackOf = (): string => {
  try {
    fails();
  } catch (error) {
    return (error as Error).stack ?? '';
  }
};
`;

describe('Stack traces of a compiled script', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'stele-stacks-'));
    const { code, map = '' } = transformSync(SOURCE, {
      swcrc: false,
      filename: join(folder, 'failing.ts'),
      sourceFileName: 'failing.ts',
      sourceMaps: true,
      jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    });
    writeFileSync(join(folder, 'failing.mjs'), `${code}\n//# sourceMappingURL=failing.mjs.map`);
    writeFileSync(join(folder, 'failing.mjs.map'), map);
    writeFileSync(join(folder, 'without-map.mjs'), code);
    writeFileSync(join(folder, 'broken.mjs'), code);
    writeFileSync(join(folder, 'broken.mjs.map'), '{');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const register = resolve('test/support/jest/register-typescript.js');
  const stackOf = (script: string, options: readonly string[], prepare: string) =>
    execFileSync(process.execPath, [
      ...options,
      ...['--import', register, '--input-type=module', '--eval'],
      `${prepare}; const { stackOf } = await import(${JSON.stringify(join(folder, script))}); console.log(stackOf());`,
    ])
      .toString()
      .split('\n')
      .slice(0, 3);
  const mapping = `(await import(${JSON.stringify(resolve('src/process/start/mapped-stacks.ts'))})).mapStackTraces()`;

  it('stack traces refer to the source, as with --enable-source-maps', () => {
    const stack = stackOf('failing.mjs', [], mapping);
    expect(stack).toEqual(stackOf('failing.mjs', ['--enable-source-maps'], ''));
    expect(stack).toEqual([
      'Refused: No.',
      `    at fails (${join(folder, 'failing.ts')}:10:9)`,
      `    at stackOf (${join(folder, 'failing.ts')}:14:5)`,
    ]);
  });
  it('stack traces are unchanged if the source map is missing or unreadable', () => {
    expect(stackOf('without-map.mjs', [], mapping)).toEqual(stackOf('without-map.mjs', [], ''));
    expect(stackOf('broken.mjs', [], mapping)).toEqual(stackOf('broken.mjs', [], ''));
  });
});
