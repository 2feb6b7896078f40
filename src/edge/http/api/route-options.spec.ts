import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { readRouteOptions } from './route-options.js';

/** Compiles one controller per decorator with the project’s own settings. Returns the compiler errors of each. */
function compile(decorators: readonly string[]): string[] {
  const file = resolve('src/edge/http/api/decorated.ts');
  const lines = decorators.map((decorator, at) => `class Controller${at} { ${decorator} handle() {} }`);
  const text = [`import { Route } from './route-options.js';`, ...lines].join('\n');
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(
    { ...config.compilerOptions, noEmit: true, noUnusedLocals: false },
    resolve('.'),
  );
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (name) => (name === file ? text : readFile(name));
  host.fileExists = (name) => name === file || fileExists(name);
  const program = ts.createProgram([file], options, host);
  const found = program.getSemanticDiagnostics(program.getSourceFile(file));
  return lines.map((_line, at) =>
    found
      .filter(({ start = 0 }) => text.slice(0, start).split('\n').length - 2 === at)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
      .join(' '),
  );
}

describe('Route options', () => {
  const rate = `{ name: 'tries', limit: 10, seconds: 60, per: 'address' }`;

  it('route options compile only if each is spelled correctly and has the right type', () => {
    const [right, misspelt, oneOfTwo, unknownRate, unknownBody] = compile([
      `@Route({ rate: ${rate}, hidden: true, body: 'streamed' })`,
      `@Route({ rat: ${rate} })`,
      `@Route({ rate: ${rate}, hiden: true })`,
      `@Route({ rate: { name: 'tries', limit: 10, seconds: 60, per: 'planet' } })`,
      `@Route({ body: 'stream' })`,
    ]);
    expect(right).toBe('');
    expect(misspelt).toContain(`'rat' does not exist`);
    expect(oneOfTwo).toContain(`'hiden' does not exist`);
    expect(unknownRate).toContain(`"planet"' is not assignable`);
    expect(unknownBody).toContain(`"stream"' is not assignable`);
  }, 60_000);

  it('a route that sets no options has none', () => expect(readRouteOptions({})).toEqual({}));

  it('route options can be read back as they were set', () =>
    expect(readRouteOptions({ config: { hidden: true } })).toEqual({ hidden: true }));
});
