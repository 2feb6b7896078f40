import { readdirSync, readFileSync } from 'node:fs';
import { inRoot } from '../set-up/places.mjs';
import { isNeed, type Need, reasonUnmet } from './needs.ts';

/** Kinds of test files by suffix, with the requirements of every file of that kind. */
const kinds = {
  '.spec.ts': { needs: [], declares: false },
  '.db-spec.ts': { needs: ['database'], declares: false },
  '.http-spec.ts': { needs: ['database'], declares: false },
  '.system-spec.ts': { needs: [], declares: true },
  '.fleet-spec.ts': { needs: [], declares: true },
  '.long-spec.ts': { needs: [], declares: true },
} satisfies Record<string, { needs: Need[]; declares: boolean }>;

export type TestFile = {
  /** Path of the test file, relative to the root, with slashes. */
  readonly path: string;
  readonly needs: readonly Need[];
  /** The file runs only if a word of the command contains this. Null for a file that every run includes. */
  readonly only: string | null;
};

export type LeftOut = {
  readonly reason: string;
  readonly paths: readonly string[];
  /** Whether the files run only by name, so that CI may skip them. */
  readonly isByName: boolean;
};

/** Returns all test files, ordered by path. Throws if the head of a file is invalid. */
export function readTestFiles(): TestFile[] {
  return ['src', 'test', 'clients/api/src', 'clients/cli/src'].flatMap((folder) =>
    readdirSync(inRoot(folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /[.-]spec\.ts$/.test(name))
      .sort()
      .map((name) => readTestFile(`${folder}/${name}`, readFileSync(inRoot(folder, name), 'utf8'))),
  );
}

/**
 * Parses the declarations in the head of a test file: `// needs: git, chromium`, and `// only: NAME` in a file that
 * runs only by name. Throws for an unknown kind or need, or if a kind must declare its needs and the file does not.
 */
export function readTestFile(path: string, text: string): TestFile {
  const found = Object.entries(kinds).find(([end]) => path.endsWith(end));
  if (found === undefined)
    throw new Error(`${path} has no kind of test. Its name must end in one of ${Object.keys(kinds).join(', ')}.`);
  const [end, kind] = found;
  const head = /^(?:\/\/.*\n)*/.exec(text)?.[0] ?? '';
  const declared = /^\/\/ needs: (.+)$/m.exec(head)?.[1]?.split(', ') ?? [];
  const unknown = declared.filter((name) => !isNeed(name));
  if (unknown.length > 0)
    throw new Error(
      `${path} needs “${unknown.join(', ')}”, which is unknown. tools/test/needs.ts lists what can be needed.`,
    );
  if (kind.declares && declared.length === 0)
    throw new Error(`${path} must declare what it needs in its first line, such as “// needs: database, git”.`);
  const only = /^\/\/ only: (\S+)$/m.exec(head)?.[1];
  return {
    path,
    needs: [...kind.needs, ...declared.filter(isNeed)],
    only: end === '.long-spec.ts' ? (only ?? 'long-spec') : null,
  };
}

/** Returns the files that do not run with these words on the command line. */
export function leftOut(
  asked: readonly string[],
  files: readonly TestFile[] = readTestFiles(),
  reasonOf: (needs: readonly Need[]) => string | null = reasonUnmet,
): LeftOut[] {
  const isAsked = (name: string) => asked.some((word) => word.includes(name) || word.includes('long-spec'));
  const skipped = files.flatMap(({ path, needs, only }) => {
    if (only !== null && !isAsked(only))
      return [{ path, isByName: true, reason: `not asked for by name (npm test -- ${only})` }];
    const reason = reasonOf(needs);
    return reason === null ? [] : [{ path, isByName: false, reason }];
  });
  return [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, group]) => ({
    reason,
    paths: group.map(({ path }) => path),
    isByName: group.every(({ isByName }) => isByName),
  }));
}

/**
 * Returns those of the files left out that the patterns in these words select. Jest would not have run the others
 * anyway. Without patterns, all files are selected.
 */
export function selectedOf(skipped: readonly LeftOut[], asked: readonly string[]): LeftOut[] {
  const patterns = asked.filter((word, n) => !word.startsWith('-') && !NAMES_TESTS.has(asked[n - 1] ?? ''));
  const isSelected = (path: string) => patterns.length === 0 || patterns.some((pattern) => isMatch(pattern, path));
  return skipped
    .map((each) => ({ ...each, paths: each.paths.filter(isSelected) }))
    .filter(({ paths }) => paths.length > 0);
}

/** Options of Jest whose next word is not a pattern of files. */
const NAMES_TESTS = new Set(['-t', '--testNamePattern']);

/** Reports whether a pattern selects a file, as in Jest: a regular expression for the absolute path, in any case. */
function isMatch(pattern: string, path: string): boolean {
  try {
    return new RegExp(pattern, 'i').test(inRoot(path));
  } catch (error) {
    // Jest reports the invalid pattern itself.
    if (error instanceof SyntaxError) return true;
    throw error;
  }
}

/** Returns patterns with which Jest ignores these files. */
export const ignoredPatterns = (skipped: readonly LeftOut[]): string[] =>
  skipped.map(({ paths }) => `/(${paths.map((path) => path.replaceAll('.', '\\.')).join('|')})$`);
