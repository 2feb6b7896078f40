import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Creates a React project with `npm create vite` and Tailwind, as documented, and has npm generate the lock file. */
export function makeProject(folder: string, scratch: string): void {
  npm(scratch, 'pack', '--silent', 'create-vite@9.3.0');
  execFileSync('tar', ['-xzf', 'create-vite-9.3.0.tgz'], { cwd: scratch });
  cpSync(join(scratch, 'package/template-react'), folder, { recursive: true });
  renameSync(join(folder, '_gitignore'), join(folder, '.gitignore'));
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      name: 'site',
      private: true,
      type: 'module',
      scripts: { build: 'vite build' },
      dependencies: { react: '19.3.1', 'react-dom': '19.3.1' },
      devDependencies: {
        '@tailwindcss/vite': '4.3.3',
        '@vitejs/plugin-react': '6.1.2',
        tailwindcss: '4.3.3',
        vite: '8.3.8',
      },
    }),
  );
  const config = `import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
export default { plugins: [react(), tailwindcss()] };
`;
  writeFileSync(join(folder, 'vite.config.js'), config);
  const styles = join(folder, 'src/index.css');
  writeFileSync(styles, `@import "tailwindcss";\n${readFileSync(styles, 'utf8')}`);
  npm(folder, 'install', '--package-lock-only', '--ignore-scripts', '--silent');
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
}

// Overrides a personal npm configuration.
const env = { ...process.env, npm_config_omit_lockfile_registry_resolved: 'false' };
const npm = (cwd: string, ...args: string[]) =>
  execFileSync('npm', args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });

export const entriesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      const path = relative(folder, file);
      return { path, kind: 'file' as const, oid: path, size: statSync(file).size, isExecutable: false };
    });
