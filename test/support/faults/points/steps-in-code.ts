import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { patternOf, WRITES } from './statement-patterns.js';

/** A place in the code where something is done that stays, or that another process sees. */
export type Step = {
  /** `file what`, and ` #n` where a file has several of the same: names it in counts and lists. */
  readonly id: string;
  readonly kind: 'sql' | 'file' | 'outside';
  /** Below the root, as `src/storage/blobs/packs/pack-file.ts`. */
  readonly file: string;
  readonly firstLine: number;
  readonly lastLine: number;
  /** Of statements: what their text is found by, as the source of a regular expression. */
  readonly pattern?: string;
  /** Of statements: how much of the text is fixed; of two that fit the longer is meant. */
  readonly length?: number;
  /** Of calls: the function that is called. */
  readonly call?: string;
};

/** Of `node:fs/promises`: what changes a disk. */
const CHANGES_DISK = new Set(
  'appendFile copyFile link mkdir open rename rm rmdir symlink truncate unlink writeFile'.split(' '),
);
/** Of an open file: the same. */
const CHANGES_FILE = new Set('appendFile datasync sync truncate write writeFile writev'.split(' '));
/** What asks something of others, by the module that it comes from. */
const ASKS: Readonly<Record<string, ReadonlySet<string>>> = {
  'node:http': new Set(['request']),
  'node:https': new Set(['request']),
  'node:tls': new Set(['connect']),
  'node:child_process': new Set(['spawn', 'execFile']),
};
const ASKS_BY_METHOD = new Set(['sendMail', 'appendToStream', 'setStreamMetadata', 'publish']);
/** Of clients that ask by the `fetch` of Node: their methods, by where they are called. */
const ASKS_BY_FETCH: readonly (readonly [files: RegExp, method: string])[] = [[/^src\/adapters\/model\//, 'create']];
/** Files in which a method of these names is another thing: the outbox has a mail put together in memory. */
const OF_OURS = /^src\/(modules|edge\/browser)\/|\/outbox\.engine\.ts$/;

const ROOT = join(import.meta.dirname, '../../../..');

/** Every durable step of the product, found in its code: none has to be listed. */
export function stepsInCode(folder = 'src'): readonly Step[] {
  return filesBelow(join(ROOT, folder)).flatMap((path) => stepsIn(relative(ROOT, path), readFileSync(path, 'utf8')));
}

/** Those of one file, in their order. */
export function stepsIn(file: string, text: string): readonly Step[] {
  const seen = new Map<string, number>();
  return stepsOf(file, text).map(({ id, ...step }) => {
    const n = (seen.get(id) ?? 0) + 1;
    seen.set(id, n);
    return { ...step, id: n === 1 ? id : `${id} #${n}` };
  });
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ts$/.test(name) && !/(spec|\.d)\.ts$/.test(name) && !name.startsWith('browser/'))
    .sort()
    .map((name) => join(folder, name));
}

function stepsOf(file: string, text: string): Step[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  const imported = new Map<string, { readonly from: string; readonly name: string }>();
  const steps: Step[] = [];
  const usesFiles = text.includes("'node:fs/promises'");

  const add = (node: ts.Node, kind: Step['kind'], what: string, rest: Partial<Step>) => {
    const [firstLine, lastLine] = [node.getStart(), node.getEnd()].map(
      (at) => source.getLineAndCharacterOfPosition(at).line + 1,
    ) as [number, number];
    steps.push({ id: `${file} ${what}`, kind, file, firstLine, lastLine, ...rest });
  };

  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const bindings = node.importClause?.namedBindings;
      const from = node.moduleSpecifier.text;
      if (bindings && ts.isNamedImports(bindings))
        for (const { name, propertyName } of bindings.elements)
          imported.set(name.text, { from, name: (propertyName ?? name).text });
      return;
    }
    const template = templateText(node);
    if (template !== null) {
      for (const [, write = ''] of template.matchAll(WRITES)) {
        const what = write.replace(/\s+/g, ' ').replaceAll('\0', '…').trim().toLowerCase();
        add(node, 'sql', what, patternOf(template));
        break;
      }
    }
    if (ts.isIdentifier(node) && ASKS[imported.get(node.text)?.from ?? '']?.has(imported.get(node.text)?.name ?? '')) {
      // Of two for one line, one for http and one for https, either is the step.
      const { name = '' } = imported.get(node.text) ?? {};
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      if (!steps.some(({ kind, firstLine }) => kind === 'outside' && firstLine === line))
        add(node, 'outside', name, { call: name });
    }
    if (ts.isCallExpression(node)) {
      const call = callOf(node);
      if (call) add(node, call.kind, call.name, { call: call.name });
    }
    ts.forEachChild(node, visit);
  };

  function callOf({ expression, arguments: given }: ts.CallExpression) {
    if (ts.isIdentifier(expression)) {
      const { from = '', name = '' } = imported.get(expression.text) ?? {};
      if (from === 'node:fs/promises' && CHANGES_DISK.has(name) && (name !== 'open' || makesFile(given[1])))
        return { kind: 'file', name } as const;
      if (expression.text === 'fetch' && !imported.has('fetch')) return { kind: 'outside', name: 'fetch' } as const;
    }
    if (ts.isPropertyAccessExpression(expression) && expression.expression.kind !== ts.SyntaxKind.ThisKeyword) {
      const name = expression.name.text;
      if (ASKS_BY_FETCH.some(([files, method]) => name === method && files.test(file)))
        return { kind: 'outside', name: 'fetch' } as const;
      if (usesFiles && CHANGES_FILE.has(name)) return { kind: 'file', name: `file.${name}` } as const;
      if (ASKS_BY_METHOD.has(name) && !OF_OURS.test(file)) return { kind: 'outside', name } as const;
    }
    return null;
  }

  visit(source);
  return steps;
}

/** Whether a file is opened that was not there before: `wx`, `a` and the like. Flags that are a value may be these. */
const makesFile = (flags: ts.Expression | undefined) =>
  flags !== undefined && !(ts.isStringLiteral(flags) && /^r\+?$/.test(flags.text));

/** The text of a literal, with each hole of a template as `\0`; null for any other node. */
function templateText(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `\0${literal.text}`).join('');
  return null;
}
