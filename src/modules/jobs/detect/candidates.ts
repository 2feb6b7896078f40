import type { Plan } from '../../../events/repo-source.js';
import { readPackage } from './package-json.js';
import type { RepoFiles } from './repo-files.js';

/** A folder of the repository that may be a separate site. */
export type Candidate = {
  readonly rootDirectory: string;
  readonly framework: string | null;
  readonly kind: Plan['kind'];
};

/** Maximum number of candidates that a caller can choose from. */
const MAX_CANDIDATES = 20;
/** Maximum number of packages to read in a repository. */
const MAX_LOOKED_AT = 200;
const DEEPEST = 3;

/** Packages that build pages, in the order in which they are looked for. */
const MAKERS = [
  'next',
  'astro',
  '@sveltejs/kit',
  'nuxt',
  'gatsby',
  '@docusaurus/core',
  'vitepress',
  '@11ty/eleventy',
  'react-scripts',
  'vite',
] as const;
const NAMES: Readonly<Record<string, string>> = {
  '@sveltejs/kit': 'svelte-kit',
  '@docusaurus/core': 'docusaurus',
  '@11ty/eleventy': 'eleventy',
  'react-scripts': 'create-react-app',
};

/** Finds folders below the root with a Dockerfile, or with a package that has a build script and a generator. */
export async function findCandidates(files: RepoFiles): Promise<readonly Candidate[]> {
  const folders = new Set(
    files.entries.flatMap(({ path }) => {
      const [, folder] = /^(.+)\/(?:package\.json|Dockerfile|Containerfile)$/.exec(path ?? '') ?? [];
      return folder === undefined ||
        folder.split('/').length > DEEPEST ||
        /(?:^|\/)(?:node_modules|\.[^/]*)(?:\/|$)/.test(folder)
        ? []
        : [folder];
    }),
  );
  const found: Candidate[] = [];
  for (const rootDirectory of [...folders].sort().slice(0, MAX_LOOKED_AT)) {
    const candidate = await candidateOf(files, rootDirectory);
    if (candidate) found.push(candidate);
    if (found.length === MAX_CANDIDATES) break;
  }
  return found;
}

async function candidateOf(files: RepoFiles, rootDirectory: string): Promise<Candidate | null> {
  if (['Dockerfile', 'Containerfile'].some((name) => files.has(`/${rootDirectory}/${name}`)))
    return { rootDirectory, framework: null, kind: 'container' };
  const project = await readPackage(files, rootDirectory);
  if (project === null || project === 'unreadable' || project.scripts.build === undefined || project.isForOthers)
    return null;
  const maker = MAKERS.find((name) => project.dependencies.has(name));
  if (maker === undefined) return null;
  return { rootDirectory, framework: NAMES[maker] ?? maker, kind: maker === 'next' ? 'next' : 'static_build' };
}
