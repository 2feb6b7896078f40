import type { Package } from '../package-json.js';

/** Commands that build a library or tool but no pages. */
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
    'tshy',
    'zshy',
    'tsgo',
    'preconstruct',
    'bob',
    'ng-packagr',
    'node-gyp',
    'wasm-pack',
    'api-extractor',
  ],
  ...['nest', 'xmcp', 'wrangler', 'prisma', 'drizzle-kit', 'tsc-alias', 'vsce'],
]);
/** Helper commands that build nothing. */
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
  'del',
  'ncp',
  'mkdirp',
  'touch',
]);
/** Words before a command that only affect how it is run. */
const CALLS = new Set(['npx', 'bunx', 'pnpx', 'exec', 'bun', 'pnpm', 'yarn', 'npm', 'run', 'x', 'cross-env']);
/** Commands that run another program. */
const RUNNERS = new Set(['node', 'bun', 'deno', 'tsx', 'ts-node', 'nodemon', 'pm2', 'nest', 'mastra', 'xmcp']);

const MAX_SHOWN_CHARACTERS = 100;

/** Considers only scripts. Expects no index page and no known generator. Returns null if it might build pages. */
export function whyNoPage({ scripts, isForOthers }: Package): string | null {
  const server = startedServer(scripts.start);
  const build = scripts.build ?? '';
  if (!isCompilation(build) && !(isForOthers && COMPILERS.has(listCommands(build)[0] ?? ''))) return null;
  return server === null ? isLibrary(build) : isServer(`“${shown(server)}”`);
}

/** Whether a script only runs compilers and helpers, which build no pages. */
export const isCompilation = (script: string) =>
  listCommands(script).every((name) => COMPILERS.has(name) || BESIDE.has(name));

/** Returns the names of the commands that a script calls. */
export const listCommands = (script: string): readonly string[] => script.split(/&&|;/).map(commandOf);

/** Commands that serve the pages of a site, even if a runner starts them. */
const SERVES_PAGES = /\b(?:next start|vite|astro|serve|http-server|preview|dev)\b|\.next\/standalone/;

/** Whether a project is a server of its own, judging by its start script. */
export const isOwnServer = ({ scripts }: Package): boolean =>
  startedServer(scripts.start) !== null && !SERVES_PAGES.test(scripts.start ?? '');

/** Packages of servers. */
const SERVERS = [
  'express',
  'fastify',
  'koa',
  '@hapi/hapi',
  'restify',
  'polka',
  '@adonisjs/core',
  '@feathersjs/feathers',
];

/** Returns null if the purpose of the project is unknown. */
export function whyNoSite({ scripts, ownDependencies }: Package): string | null {
  const server = startedServer(scripts.start);
  if (server !== null) return isServer(`“${shown(server)}”`);
  const dependency = SERVERS.find((name) => ownDependencies.has(name));
  return dependency === undefined ? null : isServer(`it depends on ${dependency}`);
}

/** Returns a warning about the server that a project starts beside its pages; null if it has none. */
export function warnOfServer(project: Package): string | null {
  if (!isOwnServer(project)) return null;
  const start = `“${shown(project.scripts.start ?? '')}”`;
  return `package.json describes a server (${start}), which cannot run here. The pages are published without it.`;
}

/** `build` is null if the package has no build script. */
export const isLibrary = (build: string | null) =>
  `package.json describes a library or a tool, not a site: ${build === null ? 'it exports code or a command and has no build script' : `its build script is “${shown(build)}”, and it has no index.html`}. If its build produces pages, set plan.kind to “static_build” and plan.outputDirectory to their folder.`;

const isServer = (evidence: string) =>
  `package.json describes a server (${evidence}), but builds here produce files. To run it, add a Dockerfile. If its build produces pages, set plan.kind to “static_build” and plan.outputDirectory to their folder.`;

const shown = (script: string) => script.slice(0, MAX_SHOWN_CHARACTERS);

function startedServer(start = ''): string | null {
  return start.split(/\s+/, 20).some((word) => RUNNERS.has(word)) ? start : null;
}

/** Omits the words before the command itself. */
function commandOf(text: string): string {
  return (
    text
      .trim()
      .split(/\s+/, 10)
      .find((word) => !CALLS.has(word) && !word.includes('=')) ?? ''
  );
}
