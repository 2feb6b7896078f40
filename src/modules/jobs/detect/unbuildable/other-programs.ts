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

/** Returns a warning about a program in a language that can't run here. */
export function otherProgram(files: RepoFiles, folder: string): string | null {
  const found = LANGUAGES.find(([file]) => files.has(`/${folder}/${file}`));
  return found ? `${found[0]} indicates that this project needs ${found[1]}, which is not available here.` : null;
}

/** Returns a warning about a Cloudflare Worker, which can't run here. */
export async function otherWorker(files: RepoFiles, folder: string): Promise<string | null> {
  for (const file of ['wrangler.toml', 'wrangler.json', 'wrangler.jsonc']) {
    if (!files.has(`/${folder}/${file}`)) continue;
    const text = await files.readStart(`/${folder}/${file}`);
    if (/^main *=|"main" *:/m.test(text))
      return `${file} configures a Cloudflare Worker, which cannot run here. The site’s files are published without it.`;
  }
  return null;
}
