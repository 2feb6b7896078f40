import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { Tree } from '../../support/sites/git-host.js';

/** A typical new project. The first page has a title and a script that sets `data-ran` on the document to `yes`. */
export type Template = {
  readonly name: string;
  readonly title: string;
  /** Creates the project's files. This may need the npm registry. */
  readonly tree: () => Tree;
  readonly asked?: Record<string, unknown>;
};

/** JavaScript statement that marks a page whose script has run. It works in any framework. */
export const RAN = "document.documentElement.dataset.ran = 'yes';";

export const json = (value: unknown) => JSON.stringify(value, null, 2);

function inFolder<Result>(work: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'stele-template-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// Overrides the developer's own npm configuration.
const env = { ...process.env, npm_config_omit_lockfile_registry_resolved: 'false', npm_config_audit: 'false' };
const npm = (cwd: string, ...args: string[]) =>
  execFileSync('npm', args, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] }).toString();

export const packed = (spec: string, below: string): Tree =>
  inFolder((folder) => {
    const archive = npm(folder, 'pack', '--silent', spec).trim();
    execFileSync('tar', ['-xzf', archive], { cwd: folder });
    return filesBelow(join(folder, 'package', below));
  });

/** Adds the lock file that npm generates. Does not run scripts. */
export const lockedByNpm = (tree: Tree): Tree =>
  inFolder((folder) => {
    for (const [path, content] of Object.entries(tree)) {
      if (typeof content !== 'string' || !path.endsWith('package.json')) continue;
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    npm(folder, 'install', '--package-lock-only', '--ignore-scripts', '--silent');
    return { ...tree, 'package-lock.json': readFileSync(join(folder, 'package-lock.json'), 'utf8') };
  });

function filesBelow(folder: string): Tree {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [relative(folder, path), readFileSync(path)];
    }),
  );
}
