// Prints the abstract classes and the imports between modules: `node tools/structure/structure.ts`.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export type Abstraction = {
  readonly name: string;
  readonly file: string;
  /** Concrete subclasses of the abstract class, both direct and indirect. */
  readonly implementations: readonly string[];
};

/**
 * Lists the classes of `src` that have an abstract method, with their implementations. Abstract classes with fields
 * only are injection tokens for values such as settings, and are left out.
 */
export function listAbstractions(root: string): readonly Abstraction[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: ['src'] }, ts.sys, root);
  const files = globSync('src/**/*.ts', { cwd: root, exclude: (name) => /spec\.ts$|^src\/edge\/browser$/.test(name) });
  const paths = files.map((file) => join(root, file));
  const program = ts.createProgram(paths, options);
  const checker = program.getTypeChecker();
  const classes = paths.flatMap((path) => classesIn(program.getSourceFile(path)));
  const nameOf = (node: ts.ClassLikeDeclaration) =>
    `${node.name?.text ?? 'a class'} (${relative(root, node.getSourceFile().fileName)})`;

  const concrete = classes.filter((node) => !isAbstract(node) && node.name !== undefined);
  const implemented = concrete.map((node) => [nameOf(node), symbolsAbove(checker, node)] as const);
  return classes
    .filter((node) => isAbstract(node) && node.members.some((member) => isAbstract(member) && isCallable(member)))
    .map((node) => {
      const symbol = checker.getTypeAtLocation(node).symbol;
      const implementations = implemented.flatMap(([name, above]) => (above.has(symbol) ? [name] : []));
      return { name: node.name?.text ?? '', file: relative(root, node.getSourceFile().fileName), implementations };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function classesIn(file: ts.SourceFile | undefined): readonly ts.ClassLikeDeclaration[] {
  const found: ts.ClassLikeDeclaration[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isClassLike(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  if (file) visit(file);
  return found;
}

const isAbstract = (node: ts.HasModifiers | ts.ClassElement): boolean =>
  (ts.canHaveModifiers(node) && node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword)) ?? false;

const isCallable = (member: ts.ClassElement): boolean => ts.isMethodDeclaration(member);

/** Returns the classes that a class extends or implements, directly, indirectly, or through a mixin. */
function symbolsAbove(checker: ts.TypeChecker, node: ts.ClassLikeDeclaration): ReadonlySet<ts.Symbol> {
  const found = new Set<ts.Symbol>();
  const add = (type: ts.Type) => {
    if (!type.symbol || found.has(type.symbol)) return;
    found.add(type.symbol);
    for (const base of type.getBaseTypes() ?? []) add(base);
    for (const declaration of type.symbol.declarations ?? [])
      if (ts.isClassLike(declaration)) addImplemented(declaration);
  };
  const addImplemented = ({ heritageClauses = ts.factory.createNodeArray() }: ts.ClassLikeDeclaration) => {
    for (const { types } of heritageClauses) for (const type of types) add(checker.getTypeAtLocation(type));
  };
  addImplemented(node);
  return found;
}

/** Maps each module of `src/modules` to the other modules that it imports. Specs are left out. */
export function listModuleImports(root: string): ReadonlyMap<string, ReadonlySet<string>> {
  const imports = new Map<string, Set<string>>();
  for (const file of globSync('src/modules/*/**/*.ts', { cwd: root, exclude: (name) => name.endsWith('spec.ts') })) {
    const [, , module = ''] = file.split('/');
    const others = imports.get(module) ?? new Set();
    imports.set(module, others);
    const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), 'utf8'));
    for (const { fileName } of importedFiles) {
      const [, other] = /^src\/modules\/([^/]+)\//.exec(join(dirname(file), fileName)) ?? [];
      if (fileName.startsWith('.') && other !== undefined && other !== module) others.add(other);
    }
  }
  return imports;
}

/**
 * Lists the features in `src/modules` that their module’s file does not use. The routes of such a feature return 404.
 */
export const listUnusedFeatures = (root: string): readonly string[] =>
  globSync('src/modules/*/*.module.ts', { cwd: root }).flatMap((moduleFile) => {
    const module = readFileSync(join(root, moduleFile), 'utf8').replaceAll(/^import [^;]*;$/gm, '');
    const used = new Set(module.split(/\W+/));
    return globSync(`${dirname(moduleFile)}/**/*.ts`, { cwd: root }).flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/^export const (\w+): Feature\b/gm)].flatMap(
        ([, name = '']) => (used.has(name) ? [] : [`${name} (${file}) is missing in ${moduleFile}`]),
      ),
    );
  });

/** Returns the modules of a cycle in order, or an empty list if there is no cycle. */
export function findCycle(imports: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const done = new Set<string>();
  const search = (module: string, path: readonly string[]): readonly string[] => {
    if (path.includes(module)) return [...path.slice(path.indexOf(module)), module];
    if (done.has(module)) return [];
    done.add(module);
    for (const other of imports.get(module) ?? []) {
      const cycle = search(other, [...path, module]);
      if (cycle.length > 0) return cycle;
    }
    return [];
  };
  for (const module of imports.keys()) {
    const cycle = search(module, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

if (resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const abstractions = listAbstractions(process.cwd());
  const single = abstractions.filter(({ implementations }) => implementations.length < 2);
  for (const { name, file, implementations } of single) console.log(`${name} (${file}): ${implementations.join()}`);
  console.log(`${single.length} of ${abstractions.length} abstract classes have at most one implementation.\n`);
  const imports = listModuleImports(process.cwd());
  for (const [module, others] of imports) if (others.size > 0) console.log(`${module} → ${[...others].sort().join()}`);
  console.log(`Cycle: ${findCycle(imports).join(' → ') || 'none'}`);
}
