import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { analyse } from 'scslre';
import ts from 'typescript';

// Part of `npm run lint`: rejects regular expressions in production code that some input makes slow, because strangers
// may choose the input, and the process has one thread (decision 0061). `/^[ \t]+|[ \t]+$/g` looks harmless, but takes
// a second for 16,000 blanks. Use indexes instead, or begin where no repeated character precedes (`/(?<!=)=+$/`).

const REASONS = {
  Self: 'nested repetitions let a text match in many ways',
  Trade: 'two repetitions can match the same characters, so a text can match in many ways',
  Move: 'a repetition is retried from every character that it has already matched',
};

/** Expressions composed at runtime. They were reviewed by hand: none contains input from callers. */
const COMPOSED: Record<string, string> = {
  'src/edge/http/api/schemas/texts.ts':
    'one class of characters from end to end, or names from our own lists with commas between',
  'src/edge/http/api/allowed-methods.ts': 'the paths of our own routes, each of whose parts ends at a slash',
  'src/modules/identity/terminal/loopback-address.ts': 'constants; analysed as one expression on 2026-11-23',
  'src/content/uploads/checks/site-path.ts': 'constants, one after the other',
  'tools/test/test-files.ts': 'arguments of a developer’s own command, which Jest uses in the same way',
};

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'tools'], { encoding: 'utf8' });
const files = listed.split('\n').filter((path) => /\.(?:ts|mjs|js)$/.test(path) && !/spec\.ts$/.test(path));

let literals = 0;
const faults: string[] = [];
for (const path of files) {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const say = (node: ts.Node, why: string) => {
    const { line, character } = file.getLineAndCharacterOfPosition(node.getStart(file));
    faults.push(`${path}:${line + 1}:${character + 1} ${node.getText(file)}\n  ${why}`);
  };
  const look = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      literals++;
      const end = node.text.lastIndexOf('/');
      const { reports } = analyse({ source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
      for (const { type, exponential } of reports)
        say(node, `Takes ${exponential ? 'exponential' : 'quadratic'} time: ${REASONS[type]}.`);
    }
    const isMade = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (isMade && node.expression.getText(file) === 'RegExp' && !(path in COMPOSED))
      say(
        node,
        'This expression is built at run time and cannot be analysed. Write it as a literal, or give a reason in tools/lint.',
      );
    ts.forEachChild(node, look);
  };
  look(file);
}

// Templates match their patterns against input from callers.
const templates = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'templates'], { encoding: 'utf8' });
for (const path of templates.split('\n').filter((name) => name.endsWith('.json'))) {
  JSON.parse(readFileSync(path, 'utf8'), (key, source) => {
    if (key !== 'pattern' || typeof source !== 'string') return source;
    literals++;
    for (const { type, exponential } of analyse({ source, flags: '' }).reports)
      faults.push(`${path} ${source}\n  Takes ${exponential ? 'exponential' : 'quadratic'} time: ${REASONS[type]}.`);
    return source;
  });
}

for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else console.log(`None of ${literals} regular expressions backtracks excessively.`);
