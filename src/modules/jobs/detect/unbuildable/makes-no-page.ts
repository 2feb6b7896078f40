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
/** Commands that help a build script but produce no output, such as `rm`. */
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
/** Words before a command that only affect how it is run, such as `npx`. */
const CALLS = new Set(['npx', 'bunx', 'pnpx', 'exec', 'bun', 'pnpm', 'yarn', 'npm', 'run', 'x', 'cross-env']);
/** Commands that run another program and may therefore build pages. */
const RUNNERS = new Set(['node', 'bun', 'deno', 'tsx', 'ts-node', 'nodemon', 'pm2', 'nest', 'mastra', 'xmcp']);

const MAX_SHOWN_CHARACTERS = 100;

/**
 * Returns the reason why the scripts build no page, or null if they might. Call this only if no index page and no known
 * generator was found.
 */
export function whyNoPage({ scripts, isForOthers }: Package): string | null {
  const server = startedServer(scripts.start);
  const build = scripts.build ?? '';
  if (!isCompilation(build) && !(isForOthers && COMPILERS.has(listCommands(build)[0] ?? ''))) return null;
  return server === null ? describeLibrary(build) : describeServer(`“${shown(server)}”`);
}

export const isCompilation = (script: string) =>
  listCommands(script).every((name) => COMPILERS.has(name) || BESIDE.has(name));

export const listCommands = (script: string): readonly string[] => script.split(/&&|;/).map(commandOf);

/** Commands that serve a site’s pages, even if a script runner starts them. */
const SERVES_PAGES = /\b(?:next start|vite|astro|serve|http-server|preview|dev)\b|\.next\/standalone/;

/** Reports whether the start script runs the project's own server rather than one that serves a site's pages. */
export const isOwnServer = ({ scripts }: Package): boolean =>
  startedServer(scripts.start) !== null && !SERVES_PAGES.test(scripts.start ?? '');

/** npm packages that are used to write servers. */
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

/** Returns the reason why the project is not a site, or null if its purpose is unknown. */
export function whyNoSite({ scripts, ownDependencies }: Package): string | null {
  const server = startedServer(scripts.start);
  if (server !== null) return describeServer(`“${shown(server)}”`);
  const dependency = SERVERS.find((name) => ownDependencies.has(name));
  return dependency === undefined ? null : describeServer(`it depends on ${dependency}`);
}

/** Returns a warning about a server that the project has in addition to its pages; null if it has none. */
export function warnOfServer(project: Package): string | null {
  if (!isOwnServer(project)) return null;
  const start = `“${shown(project.scripts.start ?? '')}”`;
  return `package.json describes a server (${start}), which cannot run here. The pages are published without it.`;
}

/** Formats the reason why a package is not a site. `build` is its build script, or null if it has none. */
export const describeLibrary = (build: string | null) =>
  `package.json describes a library or a tool, not a site: ${build === null ? 'it exports code or a command and has no build script' : `its build script is “${shown(build)}”, and it has no index.html`}. If its build produces pages, set plan.kind to “static_build” and plan.outputDirectory to their folder.`;

const describeServer = (evidence: string) =>
  `package.json describes a server (${evidence}), but builds here produce files. To run it, add a Dockerfile. If its build produces pages, set plan.kind to “static_build” and plan.outputDirectory to their folder.`;

const shown = (script: string) => script.slice(0, MAX_SHOWN_CHARACTERS);

function startedServer(start = ''): string | null {
  return start.split(/\s+/, 20).some((word) => RUNNERS.has(word)) ? start : null;
}

/** Removes words such as `npx` that stand before the command itself. */
function commandOf(text: string): string {
  return (
    text
      .trim()
      .split(/\s+/, 10)
      .find((word) => !CALLS.has(word) && !word.includes('=')) ?? ''
  );
}
