import { listConfigs, readFirst } from '../config-files.js';
import type { Package } from '../package-json.js';
import type { RepoFiles } from '../repo-files.js';

/** Reports whether the settings or an older command export static files (nextjs.org, "Static Exports"). */
export async function isNextExport({ scripts }: Package, files: RepoFiles, folder: string): Promise<boolean> {
  if (scripts.build?.includes('next export')) return true;
  return /\boutput\b[^,\n]{0,80}['"]export['"]/.test(await readFirst(files, folder, listConfigs('next')));
}

type FrameworkRule = {
  readonly dependency: string;
  readonly name: string;
  /** Reports whether the project's build produces only files, so that it needs no server. */
  readonly isStatic: (project: Package, files: RepoFiles, folder: string) => Promise<boolean>;
  /**
   * The change to the project that completes the message "To publish it as files, …". Null if it can't be published as
   * files.
   */
  readonly change: string | null;
};

const isWithoutServer = async (files: RepoFiles, folder: string, config: string) =>
  /\bssr\s*:\s*false\b/.test(await readFirst(files, folder, listConfigs(config)));

/** Frameworks that render on a server unless the project's settings say otherwise. */
const RULES: readonly FrameworkRule[] = [
  ...[
    ['@shopify/hydrogen', 'Hydrogen'],
    ['@nestjs/core', 'NestJS'],
    ['mastra', 'Mastra'],
    ['@redwoodjs/core', 'RedwoodJS'],
    ['laravel-vite-plugin', 'Laravel'],
    ['vite-plugin-ruby', 'Ruby on Rails'],
    ['@vitejs/plugin-rsc', 'Vite with React Server Components'],
  ].map(
    ([dependency = '', name = '']): FrameworkRule => ({ dependency, name, isStatic: async () => false, change: null }),
  ),
  {
    dependency: '@sveltejs/kit',
    name: 'SvelteKit',
    isStatic: async ({ dependencies }) => dependencies.has('@sveltejs/adapter-static'),
    change: 'use @sveltejs/adapter-static.',
  },
  {
    dependency: 'nuxt',
    name: 'Nuxt',
    isStatic: async ({ scripts }, files, folder) =>
      /\bnux[it]\s+generate\b/.test(`${scripts.build} ${scripts.generate}`) ||
      (await isWithoutServer(files, folder, 'nuxt')),
    change: 'add the script "generate": "nuxt generate".',
  },
  {
    dependency: '@react-router/dev',
    name: 'React Router',
    isStatic: (_, files, folder) => isWithoutServer(files, folder, 'react-router'),
    change: 'set ssr: false in react-router.config.ts.',
  },
  {
    dependency: '@remix-run/dev',
    name: 'Remix',
    isStatic: (_, files, folder) => isWithoutServer(files, folder, 'vite'),
    change: 'build it with Vite, and set ssr: false in vite.config.ts.',
  },
  {
    dependency: 'astro',
    name: 'Astro',
    isStatic: async (_, files, folder) =>
      !/\boutput\s*:\s*['"](?:server|hybrid)['"]/.test(await readFirst(files, folder, listConfigs('astro'))),
    change: 'remove output: "server" from astro.config.',
  },
  {
    dependency: '@angular/ssr',
    name: 'Angular',
    isStatic: async (_, files, folder) =>
      /"outputMode"\s*:\s*"static"/.test(await readFirst(files, folder, ['angular.json'])),
    change: 'set "outputMode": "static" in angular.json.',
  },
  {
    dependency: '@solidjs/vite-plugin',
    name: 'Solid',
    isStatic: async (_, files, folder) =>
      !/\bssr\s*:\s*true\b/.test(await readFirst(files, folder, listConfigs('vite'))),
    change: 'set ssr: false in vite.config.ts.',
  },
  {
    dependency: 'sapper',
    name: 'Sapper',
    isStatic: async ({ scripts: { build } }) => build === undefined || build.includes('sapper export'),
    change: 'call sapper export in the build script.',
  },
  ...[
    ['@tanstack/react-start', 'TanStack Start', 'prerender it (tanstackStart({ prerender: { enabled: true } })).'],
    ['@tanstack/solid-start', 'TanStack Start', 'prerender it (tanstackStart({ prerender: { enabled: true } })).'],
    ['@solidjs/start', 'SolidStart', 'prerender it (server: { preset: "static" }).'],
    ['@builder.io/qwik-city', 'Qwik City', 'add its static adapter.'],
    ['@qwik.dev/router', 'Qwik Router', 'add its static adapter.'],
    ['nitropack', 'Nitro', 'prerender it (preset: "static").'],
    ['nitro', 'Nitro', 'prerender it (preset: "static").'],
  ].map(
    ([dependency = '', name = '', change = '']): FrameworkRule => ({
      dependency,
      name,
      isStatic: async (_, files, folder) =>
        /\bprerender\b|preset\s*:\s*['"]static['"]|adapters\/static/.test(
          await readFirst(files, folder, [...listConfigs('app'), ...listConfigs('vite'), ...listConfigs('nitro')]),
        ),
      change,
    }),
  ),
];

/** Returns the reason why the project needs a server, with the required change, or null if the project builds files. */
export async function serverNeeded(project: Package, files: RepoFiles, folder: string): Promise<string | null> {
  const rule = RULES.find(({ dependency }) => project.dependencies.has(dependency));
  if (!rule || (await rule.isStatic(project, files, folder))) return null;
  if (rule.change === null) return `${rule.name} needs a server to run, but builds here can only produce files.`;
  return `This ${rule.name} project renders its pages on a server. To publish it as files, ${rule.change}`;
}
