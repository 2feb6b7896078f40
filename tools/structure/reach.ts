// Lists the files that a reader opens to follow a request: the value imports of FILE, followed within FOLDERS and
// counted at their borders.
//
// node tools/structure/reach.ts COMMIT FILE FOLDERS
//
// FOLDERS are path prefixes, separated by commas. The counts for POST /v1/deploy are in lab note 0171.
import { execFileSync } from 'node:child_process';
import { dirname, join, normalize } from 'node:path';

const [commit, start, folders] = process.argv.slice(2);
if (commit === undefined || start === undefined || folders === undefined)
  throw new Error('Usage: node tools/structure/reach.ts COMMIT FILE FOLDERS');
const subject = folders.split(',');
const isSubject = (file: string) => file === start || subject.some((folder) => file.startsWith(folder));

const IMPORT = /^import (?!type )([^;]*?) ?from '(\.[^']+)';/gm;
const ONLY_TYPES = /^\{\s*(?:type \w+(?: as \w+)?,?\s*)+\}$/;

function importsOf(file: string): string[] {
  const text = execFileSync('git', ['show', `${commit}:${file}`], { encoding: 'utf8' });
  return [...text.matchAll(IMPORT)]
    .filter(([, names = '']) => !ONLY_TYPES.test(names))
    .map(([, , path = '']) => normalize(join(dirname(file), path)).replace(/\.js$/, '.ts'));
}

const found = new Set([start]);
for (const file of found) if (isSubject(file)) for (const each of importsOf(file)) found.add(each);
const followed = [...found].filter(isSubject).sort();
console.log(followed.join('\n'));
console.log(`${followed.length} files of the subject, ${found.size} with those that they import from other folders`);
