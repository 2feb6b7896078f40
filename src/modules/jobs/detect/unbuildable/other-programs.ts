import type { Package } from '../package-json.js';
import type { RepoFiles } from '../repo-files.js';

/** Files that indicate a program in a language other than JavaScript. */
const LANGUAGES = [
  ['go.mod', 'Go'],
  ['Cargo.toml', 'Rust'],
  ['pyproject.toml', 'Python'],
  ['requirements.txt', 'Python'],
  ['Pipfile', 'Python'],
  ['Gemfile', 'Ruby'],
  ['composer.json', 'PHP'],
  ['index.php', 'PHP'],
  ['pom.xml', 'Java'],
  ['build.gradle', 'Java'],
  ['build.gradle.kts', 'Java'],
  ['mix.exs', 'Elixir'],
  ['gleam.toml', 'Gleam'],
  ['deno.json', 'Deno'],
  ['deno.jsonc', 'Deno'],
  ['CMakeLists.txt', 'C or C++'],
] as const;

/** Returns a warning about a program in a language that this service can't run, or null if there is none. */
export function otherProgram(files: RepoFiles, folder: string): string | null {
  const found = LANGUAGES.find(([file]) => files.has(`/${folder}/${file}`));
  return found ? `${found[0]} indicates that this project needs ${found[1]}, which is not available here.` : null;
}

/**
 * Folders with code that runs on other hosts or on the generator's own server. Names that can also mean something else
 * count only if the project has the file `beside` or the listed dependency.
 */
const ON_SERVERS: readonly (readonly [folder: string, beside: string | null, dependency: string | null])[] = [
  ['netlify/functions', null, null],
  ['netlify/edge-functions', null, null],
  ['functions', null, null],
  ['api', 'vercel.json', null],
  ['server/api', null, 'nuxt'],
  ['server/routes', null, 'nuxt'],
];

const SCRIPT = /\.(?:[cm]?[jt]s|[jt]sx|py|go)$/;

/** Returns a warning about code that will not run because it needs a server; null if there is none. */
export function warnOfFunctions(files: RepoFiles, folder: string, project: Package | null): string | null {
  const found = ON_SERVERS.find(
    ([name, beside, dependency]) =>
      (beside === null || files.has(`/${folder}/${beside}`)) &&
      (dependency === null || project?.dependencies.has(dependency)) &&
      hasScript(files, folder === '.' ? `${name}/` : `${folder}/${name}/`),
  );
  return found
    ? `${found[0]} contains code that needs a server, which cannot run here. The site’s files are published without it.`
    : null;
}

const hasScript = (files: RepoFiles, prefix: string) =>
  files.isFolder(`/${prefix}`) &&
  files.entries.some(({ path, kind }) => kind === 'file' && path?.startsWith(prefix) && SCRIPT.test(path));

/** Returns a warning about a Cloudflare Worker, which this service can't run, or null if there is none. */
export async function otherWorker(files: RepoFiles, folder: string): Promise<string | null> {
  for (const file of ['wrangler.toml', 'wrangler.json', 'wrangler.jsonc']) {
    if (!files.has(`/${folder}/${file}`)) continue;
    const text = await files.readStart(`/${folder}/${file}`);
    if (/^main *=|"main" *:/m.test(text))
      return `${file} configures a Cloudflare Worker, which cannot run here. The site’s files are published without it.`;
  }
  return null;
}
