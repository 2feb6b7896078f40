import { Project } from '@netlify/build-info';
import type { Plan, RepoSource } from '../../../events/repo-source.js';
import { refuse } from '../../../kernel/refusal.js';
import { mayBeMajor, NODE_MAJOR } from './node-version.js';
import type { RepoFiles } from './repo-files.js';
import { rootDirectoryOf } from './root-directory.js';

export type Detected = {
  readonly plan: Plan;
  readonly evidence: readonly { readonly file: string; readonly why: string }[];
  readonly warnings: readonly string[];
};

export type PlanRequest = Pick<RepoSource, 'rootDirectory' | 'plan'>;
type Package = {
  readonly scripts: Record<string, unknown>;
  readonly dependencies: Record<string, unknown>;
  readonly engine: string | null;
};

/** Where pages are looked for that nothing has to be built of. */
const PUBLISHED = ['.', 'public', 'docs'];

const LOCK_FILES = [
  ['package-lock.json', 'npm', 'npm ci'],
  ['npm-shrinkwrap.json', 'npm', 'npm ci'],
  ['pnpm-lock.yaml', 'pnpm', 'pnpm install --frozen-lockfile'],
  ['yarn.lock', 'yarn', 'yarn install --frozen-lockfile'],
  ['bun.lock', 'bun', 'bun install --frozen-lockfile'],
  ['bun.lockb', 'bun', 'bun install --frozen-lockfile'],
] as const;

/**
 * How a repository becomes a site, with what says so: a Dockerfile, Next.js, a generator or a build script, plain
 * pages, in this order. What the caller wants of the plan stands. Refuses with `plan_not_detected`.
 */
export async function detected(
  files: RepoFiles,
  { rootDirectory: asked, plan: wanted }: PlanRequest,
): Promise<Detected> {
  const rootDirectory = rootDirectoryOf(wanted.rootDirectory ?? asked);
  if (!files.isFolder(`/${rootDirectory}`)) {
    return refuse('plan_not_detected', `The repository has no folder “${rootDirectory}”.`, [
      { path: 'rootDirectory', message: 'is not in the repository' },
    ]);
  }
  const found = await new Detection(files, rootDirectory).run(wanted.kind);
  const plan = plain({ ...found.plan, ...given(wanted), rootDirectory });
  if (plan.kind === 'static') {
    plan.outputDirectory = rootDirectoryOf(plan.outputDirectory);
    if (!files.isFolder(`/${rootDirectory}/${plan.outputDirectory}`)) {
      return refuse('plan_not_detected', `The repository has no folder “${plan.outputDirectory}” to publish.`, [
        { path: 'plan.outputDirectory', message: 'is not in the repository' },
      ]);
    }
  }
  return { ...found, plan };
}

const given = (wanted: RepoSource['plan']): Partial<Plan> =>
  Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));

/** Bounds what a stranger wrote into a script’s name or a version, and makes it well-formed text. */
const plain = (plan: Plan): Plan => {
  const members = Object.entries(plan).map(([name, value]) => [name, value && shortened(value)]);
  return { ...plan, ...Object.fromEntries(members) };
};

const shortened = (text: string) => text.slice(0, 1_000).toWellFormed();

class Detection {
  readonly #evidence: { file: string; why: string }[] = [];
  readonly #warnings: string[] = [];

  constructor(
    private readonly files: RepoFiles,
    private readonly root: string,
  ) {}

  async run(kind: Plan['kind'] | undefined): Promise<Detected> {
    const all = [() => this.#container(), () => this.#built(), () => this.#plain()];
    for (const look of all) {
      const plan = await look();
      if (!plan || (kind !== undefined && plan.kind !== kind)) continue;
      return { plan, evidence: this.#evidence, warnings: this.#warnings };
    }
    if (kind !== undefined) {
      const plan = { ...this.#empty(kind), ...(kind === 'static' && { outputDirectory: '.' }) };
      return { plan, evidence: [], warnings: [`Nothing in the repository says that it is of the kind ${kind}.`] };
    }
    return refuse(
      'plan_not_detected',
      `Looked in ${this.root === '.' ? 'the repository’s root' : `“${this.root}”`} for a Dockerfile, for Next.js, for a site generator or a build script in package.json, and for an index.html there, in public and in docs. There is none of them.`,
    );
  }

  #container(): Plan | null {
    if (!this.#has('Dockerfile')) return null;
    this.#tell('Dockerfile', 'is how to build and run the repository as a container');
    return { ...this.#empty('container'), dockerfile: 'Dockerfile' };
  }

  async #built(): Promise<Plan | null> {
    const described = await this.#package();
    const isNext = described !== null && Object.hasOwn(described.dependencies, 'next');
    const framework = isNext ? null : await this.#framework();
    const script = described?.scripts.build;
    if (!isNext && !framework && typeof script !== 'string') return null;

    const manager = described && this.#manager();
    const run = manager ? `${manager.name} run build` : null;
    const own = framework?.getBuildCommands()[0];
    if (isNext) this.#tell('package.json', 'depends on next');
    else if (framework) this.#tell(this.#because(framework), `says that it is made with ${framework.name}`);
    if (typeof script === 'string') this.#tell('package.json', 'has a build script');
    return {
      ...this.#empty(isNext ? 'next' : 'static_build'),
      framework: isNext ? 'next' : (framework?.id ?? null),
      packageManager: manager?.name ?? null,
      nodeVersion: described ? await this.#nodeVersion(described) : null,
      installCommand: manager?.install ?? null,
      buildCommand: (typeof script === 'string' ? run : null) ?? (isNext ? 'next build' : (own ?? run)),
      outputDirectory: isNext ? null : (framework?.build.directory ?? null),
    };
  }

  #plain(): Plan | null {
    const folder = PUBLISHED.find((name) => this.#has(name === '.' ? 'index.html' : `${name}/index.html`));
    if (folder === undefined) return null;
    this.#tell(folder === '.' ? 'index.html' : `${folder}/index.html`, 'is a page that needs no build');
    return { ...this.#empty('static'), outputDirectory: folder };
  }

  async #framework() {
    const cwd = this.files.cwd;
    try {
      const project = new Project(this.files, this.files.resolve(`/${this.root}`), '/');
      project.setReportFn(() => undefined);
      // The folder that was asked for is looked at, and no other: what a workspace lists are patterns of a stranger’s.
      project.workspace = null;
      project.buildSystems = [];
      const frameworks = (await project.detectFrameworks()) ?? [];
      return frameworks.find(({ category }) => String(category) !== 'backend_framework') ?? null;
    } finally {
      this.files.cwd = cwd;
    }
  }

  #because({ detected: { config } }: { readonly detected: { readonly config?: string } }): string {
    return config ?? 'package.json';
  }

  async #package(): Promise<Package | null> {
    if (!this.#has('package.json')) return null;
    try {
      const { scripts, dependencies, devDependencies, engines } = record(
        JSON.parse(await this.files.readFile(`/${this.root}/package.json`)),
      );
      const { node } = record(engines);
      const engine = typeof node === 'string' ? node.slice(0, 100) : null;
      return {
        scripts: record(scripts),
        dependencies: { ...record(devDependencies), ...record(dependencies) },
        engine,
      };
    } catch {
      this.#warnings.push('package.json cannot be read: it is not JSON, or too long.');
      return null;
    }
  }

  /** By the lock file, which may lie further up in a repository of many packages. */
  #manager(): { readonly name: string; readonly install: string } {
    const segments = this.root === '.' ? [] : this.root.split('/');
    for (let depth = segments.length; depth >= 0; depth--) {
      const folder = segments.slice(0, depth).join('/');
      const lock = LOCK_FILES.find(([file]) => this.files.has(`/${folder}/${file}`));
      if (!lock) continue;
      const [file, name, install] = lock;
      this.#tell(`/${folder === '' ? file : `${folder}/${file}`}`, `is a lock file of ${name}`);
      return { name, install };
    }
    this.#warnings.push('There is no lock file: each build may get other versions of what it depends on.');
    return { name: 'npm', install: 'npm install' };
  }

  async #nodeVersion({ engine }: Package): Promise<string> {
    for (const file of ['.nvmrc', '.node-version']) {
      if (!this.#has(file)) continue;
      const version = (await this.files.readFile(`/${this.root}/${file}`).catch(() => '')).trim().slice(0, 40);
      if (/^[\x21-\x7e]+$/.test(version)) return this.#checked(version, file);
    }
    return engine === null ? String(NODE_MAJOR) : this.#checked(engine, 'package.json');
  }

  #checked(version: string, file: string): string {
    this.#tell(file, `asks for Node ${version}`);
    if (!mayBeMajor(version, NODE_MAJOR))
      this.#warnings.push(shortened(`${file} asks for Node ${version}; builds run on Node ${NODE_MAJOR}.`));
    return version;
  }

  #empty = (kind: Plan['kind']): Plan => ({
    kind,
    framework: null,
    packageManager: null,
    nodeVersion: null,
    installCommand: null,
    buildCommand: null,
    outputDirectory: null,
    rootDirectory: this.root,
  });

  #has = (path: string) => this.files.has(`/${this.root}/${path}`);

  /** `file` is in the root directory, or with a slash before it anywhere in the repository. */
  #tell(file: string, why: string): void {
    this.#evidence.push({ file: this.files.resolve('/', this.root, file).slice(1), why: shortened(why) });
  }
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
