import type { Package } from '../package-json.js';

/** Commands that make a library or a tool and no page. */
const COMPILERS = new Set([
  ...[
    'tsc',
    'tsup',
    'tsdown',
    'rollup',
    'esbuild',
    'unbuild',
    'microbundle',
    'babel',
    'swc',
    'ncc',
    'pkgroll',
    'bunchee',
  ],
  ...['nest', 'xmcp', 'wrangler', 'prisma', 'drizzle-kit', 'tsc-alias', 'vsce'],
]);
/** Commands beside those, which make nothing. */
const BESIDE = new Set([
  'rimraf',
  'rm',
  'mkdir',
  'cp',
  'mv',
  'chmod',
  'echo',
  'shx',
  'cpx',
  'cpy',
  'copyfiles',
  'del-cli',
]);
/** Words before a command that say how it is called. */
const CALLS = new Set(['npx', 'bunx', 'pnpx', 'exec', 'bun', 'pnpm', 'yarn', 'npm', 'run', 'x', 'cross-env']);
/** Commands that run a program. */
const RUNNERS = new Set(['node', 'bun', 'deno', 'tsx', 'ts-node', 'nodemon', 'pm2', 'nest', 'mastra', 'xmcp']);

const LONGEST_SHOWN = 100;

/**
 * Why what a project builds is no page, by its scripts alone: for one that has no page to begin with, and no generator
 * that is known. Null where it may be one.
 */
export function whyNoPage({ scripts, isForOthers }: Package): string | null {
  const server = startedServer(scripts.start);
  const build = scripts.build ?? '';
  const commands = build.split(/&&|;/).map(commandOf);
  const makesNone = commands.every((name) => COMPILERS.has(name) || BESIDE.has(name));
  if (!makesNone && !(isForOthers && COMPILERS.has(commands[0] ?? ''))) return null;
  return server === null ? isLibrary(build) : isServer(server);
}

/** Why a project that builds nothing is no site; null where it does not say what it is. */
export function whyNoSite({ scripts }: Package): string | null {
  const server = startedServer(scripts.start);
  return server === null ? null : isServer(server);
}

/** The detail for a package that has no build script (`null`), or one that only compiles a library. */
export const isLibrary = (build: string | null) =>
  `package.json describes a library or a tool, not a site: ${build === null ? 'it exports code or a command and has no build script' : `its build script is “${build.slice(0, LONGEST_SHOWN)}”, and it has no index.html`}. If its build produces pages, set plan.kind to “static_build” and plan.outputDirectory to their folder.`;

const isServer = (start: string) =>
  `package.json describes a server (“${start.slice(0, LONGEST_SHOWN)}”), but builds here produce files. If its build produces pages, set plan.kind to “static_build” and plan.outputDirectory to their folder.`;

function startedServer(start = ''): string | null {
  return start.split(/\s+/, 20).some((word) => RUNNERS.has(word)) ? start : null;
}

/** The command’s own name, without what it is called by. */
function commandOf(text: string): string {
  return (
    text
      .trim()
      .split(/\s+/, 10)
      .find((word) => !CALLS.has(word) && !word.includes('=')) ?? ''
  );
}
