// Breaks one place after another in a copy of the sources, runs the tests for it, and lists the mutants that no test
// detected.
//
// npm run mutations -- [--count N] [--seed N] [--only TEXT]
//
// Breaks 50 places by default. The same seed selects the same places of the same sources. Exits with 1 if a mutant was
// not detected. A mutant is a line with one operator, constant or condition changed.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../set-up/places.mjs';
import { places } from './places.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '50' },
    seed: { type: 'string', default: '27' },
    only: { type: 'string', default: '' },
  },
});

/** Replacements that create mutants. Each applies only to its first match in a line. */
const CHANGES: [from: RegExp, to: string][] = [
  [/ === /, ' !== '],
  [/ !== /, ' === '],
  [/ && /, ' || '],
  [/ \|\| /, ' && '],
  [/ >= /, ' > '],
  [/ <= /, ' < '],
  [/ > (?=[\w(])/, ' <= '],
  [/ < (?=[\w(])/, ' >= '],
  [/ \+ 1\b/, ' + 2'],
  [/\btrue\b/, 'false'],
  [/\bfalse\b/, 'true'],
  [/\bif \((?!!)/, 'if (!'],
  [/ \?\? /, ' && '],
  [/\.has\(/, '.delete('],
  [/return \[\];/, 'throw new Error();'],
  [/\brefuse\(/, 'String('],
  [/!(?=[a-z(])/, ''],
];

type Mutant = { file: string; line: number; becomes: string; text: string };

const wanted = places.filter(({ file }) => file.includes(values.only));
const mutants = chosen(wanted.flatMap(mutantsOf), Number(values.count), Number(values.seed));
const copy = mkdtempSync(join(tmpdir(), 'stele-mutations-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const name of ['src', 'test', 'templates', 'jest.config.js', 'package.json', 'tsconfig.json', 'CHANGELOG.md'])
  cpSync(join(root, name), join(copy, name), { recursive: true });
for (const name of ['node_modules', 'tools', 'docs']) symlinkSync(join(root, name), join(copy, name));

// The run of all specs gets a long time limit, because it takes a while on a busy machine. The specs of one folder take
// seconds, so the run for a mutant has a shorter limit, which stops a mutant that never ends.
if (!passes([...new Set(wanted.map(({ file }) => dirname(file)))], 400_000)) {
  console.error('Some tests fail without any mutation.');
  process.exit(2);
}
const unseen = mutants.filter((mutant, n) => {
  const path = join(copy, mutant.file);
  const whole = readFileSync(path, 'utf8');
  writeFileSync(path, mutant.text);
  const seen = !passes([dirname(mutant.file)]);
  writeFileSync(path, whole);
  console.log(
    `${String(n + 1).padStart(3)} ${seen ? 'detected  ' : 'UNDETECTED'} ${mutant.file}:${mutant.line}  ${mutant.becomes}`,
  );
  return !seen;
});
console.log(`\n${mutants.length - unseen.length} of ${mutants.length} mutants were detected.`);
process.exitCode = unseen.length > 0 ? 1 : 0;

/** Reports whether all self-contained specs of these folders pass. */
function passes(folders: readonly string[], timeout = 60_000): boolean {
  const jest = [join(root, 'node_modules/jest/bin/jest.js'), '--silent', '--bail', '--runInBand'];
  const patterns = folders.map((folder) => `/${folder}/[^/]+\\.spec\\.ts$`);
  const args = ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning', ...jest, ...patterns];
  return spawnSync(process.execPath, args, { cwd: copy, stdio: 'ignore', timeout, killSignal: 'SIGKILL' }).status === 0;
}

function mutantsOf({ file, same = [] }: (typeof places)[number]): Mutant[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((line, n) => {
    if (/^\s*(\/?\*|\/\/|import |export type|type )/.test(line)) return [];
    return CHANGES.flatMap(([from, to]) => {
      const changed = line.replace(from, to);
      const becomes = changed.trim();
      if (changed === line || same.includes(becomes)) return [];
      return [{ file, line: n + 1, becomes, text: lines.with(n, changed).join('\n') }];
    });
  });
}

/** Selects mutants by the seed, from as many files as possible. */
function chosen(all: readonly Mutant[], count: number, seed: number): Mutant[] {
  const keyed = all.map((mutant, n) => ({ mutant, key: Math.imul(n + 1, 2_654_435_761 + seed * 2) >>> 0 }));
  return keyed
    .sort((one, other) => one.key - other.key)
    .slice(0, count)
    .map(({ mutant }) => mutant)
    .sort((one, other) => one.file.localeCompare(other.file) || one.line - other.line);
}
