import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { patternOf, WRITES } from './statement-patterns.js';

/** A step: a place in the code with a durable effect, or with an effect that other processes can see. */
export type Step = {
  /** `file what`, followed by ` #n` if a file has several such steps. Identifies the step in counts and lists. */
  readonly id: string;
  readonly kind: 'sql' | 'file' | 'outside';
  /** Path relative to the root, such as `src/storage/blobs/packs/pack-file.ts`. */
  readonly file: string;
  readonly firstLine: number;
  readonly lastLine: number;
  /** Only for SQL statements: source of a regular expression that finds the text of the statement. */
  readonly pattern?: string;
  /**
   * Only for SQL statements: length of the fixed text. If a statement matches several literals, the longest one counts.
   */
  readonly length?: number;
  readonly call?: string;
};

const CHANGES_DISK = new Set(
  'appendFile copyFile link mkdir open rename rm rmdir symlink truncate unlink writeFile'.split(' '),
);
const CHANGES_FILE = new Set('appendFile datasync sync truncate write writeFile writev'.split(' '));
/** Functions that contact other servers, by module. */
const ASKS: Readonly<Record<string, ReadonlySet<string>>> = {
  'node:http': new Set(['request']),
  'node:https': new Set(['request']),
  'node:tls': new Set(['connect']),
  'node:child_process': new Set(['spawn', 'execFile']),
};
const ASKS_BY_METHOD = new Set(['sendMail', 'appendToStream', 'setStreamMetadata', 'publish']);
/** Methods of client libraries that use Node's `fetch`, and the files that call them. */
const ASKS_BY_FETCH: readonly (readonly [files: RegExp, method: string])[] = [[/^src\/adapters\/model\//, 'create']];
/**
 * Files in which `sendMail`, `publish` and similar methods do not contact a server. For example, the outbox only
 * composes an email in memory.
 */
const OF_OURS = /^src\/(modules|edge\/browser)\/|\/outbox\.engine\.ts$/;

const ROOT = join(import.meta.dirname, '../../../..');

/** Finds every durable step of the product in its code, so that no list has to be maintained. */
export function stepsInCode(folder = 'src'): readonly Step[] {
  return filesBelow(join(ROOT, folder)).flatMap((path) => stepsIn(relative(ROOT, path), readFileSync(path, 'utf8')));
}

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
      // Several calls to http or https on one line count as one step.
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

/** Reports whether opening a file may create it: its flags are `wx`, `a` or similar, or come from a variable. */
const makesFile = (flags: ts.Expression | undefined) =>
  flags !== undefined && !(ts.isStringLiteral(flags) && /^r\+?$/.test(flags.text));

/** Returns the text of a literal, with `\0` for each placeholder of a template, or null for any other node. */
function templateText(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `\0${literal.text}`).join('');
  return null;
}
