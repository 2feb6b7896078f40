import { Project } from '@netlify/build-info';
import type { Plan } from '../../../events/repo-source.js';
import { refuse } from '../../../kernel/refusal.js';
import { type Candidate, candidatesIn } from './candidates.js';
import { type HostSettings, hostSettings } from './host-files.js';
import { NODE_MAJOR } from './node-version.js';
import { generatorNotHad } from './other-generators.js';
import { type Package, readPackage } from './package-json.js';
import { findManager } from './package-manager.js';
import type { RepoFiles } from './repo-files.js';
import { serverNeeded } from './server-rendered.js';

export type Detected = {
  readonly plan: Plan;
  readonly evidence: readonly { readonly file: string; readonly why: string }[];
  readonly warnings: readonly string[];
};

/** Where pages are looked for that nothing has to be built of. */
const PUBLISHED = ['.', 'public', 'docs'];

const DOCKERFILES = ['Dockerfile', 'Containerfile'];

/** Commands that make a library or a tool and no page, unless there is a page to be put into. */
const COMPILERS = /^(?:npx\s+)?(?:tsc|tsup|tsdown|rollup|esbuild|unbuild|microbundle|babel|swc|ncc|pkgroll|bunchee)\b/;

/** One look at the files of a commit, in one folder. */
export class Detection {
  readonly #evidence: { file: string; why: string }[] = [];
  readonly #warnings: string[] = [];

  constructor(
    private readonly files: RepoFiles,
    private readonly root: string,
  ) {}

  /** The plan, or that of a kind that is wanted. Refuses with `plan_not_detected`. */
  async run(kind: Plan['kind'] | undefined): Promise<Detected> {
    const all = [() => this.#container(), () => this.#built(kind), () => this.#plain()];
    for (const look of all) {
      const plan = await look();
      if (!plan || (kind !== undefined && plan.kind !== kind)) continue;
      return { plan, evidence: this.#evidence, warnings: this.#warnings };
    }
    if (kind === undefined) return this.#nothing();
    const plan = { ...this.#empty(kind), ...(kind === 'static' && { outputDirectory: '.' }) };
    return { plan, evidence: [], warnings: [`Nothing in the repository says that it is of the kind ${kind}.`] };
  }

  async #nothing(): Promise<never> {
    const place = this.root === '.' ? 'the repository’s root' : `“${this.root}”`;
    const looked = `Looked in ${place} for a Dockerfile, for Next.js, for a site generator or a build script in package.json, and for an index.html there, in public and in docs. There is none of them.`;
    const candidates = this.root === '.' ? await candidatesIn(this.files) : [];
    if (candidates.length === 0) return refuse('plan_not_detected', looked);
    return refuse('plan_not_detected', `${looked} ${choose(candidates)}`, [], { candidates });
  }

  #container(): Plan | null {
    const dockerfile = DOCKERFILES.find((name) => this.#has(name));
    if (dockerfile === undefined) return null;
    this.#tell(dockerfile, 'is how to build and run the repository as a container');
    return { ...this.#empty('container'), dockerfile };
  }

  async #built(wanted: Plan['kind'] | undefined): Promise<Plan | null> {
    const project = await this.#package();
    const host = await hostSettings(this.files, this.root);
    if (wanted === undefined) await this.#refuseOthers(project);
    const isNext = project?.dependencies.has('next') ?? false;
    const framework = isNext ? null : await this.#framework(project);
    const script = buildScript(project);
    if (!isNext && !framework && script === null && !host?.buildCommand) return null;

    if (isNext) this.#tell('package.json', 'depends on next');
    else if (framework) this.#tell(this.#because(framework), `says that it is made with ${framework.name}`);
    if (script !== null) this.#tell('package.json', `has a ${script} script`);
    if (wanted === undefined && project && !isNext && !framework) {
      this.#refuseWhatMakesNoPage(project);
      if (!host?.outputDirectory && this.#isOfPackages(project)) await this.#refuseForCandidates();
    }
    const manager = project && (await this.#manager());
    const own = framework?.getBuildCommands()[0] ?? null;
    const usual = isNext ? 'next build' : own;
    const run = manager && script !== null ? `${manager.name} run ${script}` : null;
    this.#tellOfHost(host);
    return {
      ...this.#empty(isNext ? 'next' : 'static_build'),
      framework: isNext ? 'next' : (framework?.id ?? null),
      packageManager: manager?.packageManager ?? null,
      nodeVersion: project ? await this.#nodeVersion(project, host) : null,
      installCommand: host?.installCommand ?? manager?.install ?? null,
      buildCommand: host?.buildCommand ?? run ?? (manager && usual ? `npx ${usual}` : usual),
      outputDirectory: isNext ? null : (host?.outputDirectory ?? outputOf(framework?.build.directory ?? null, script)),
    };
  }

  #plain(): Plan | null {
    const folder = PUBLISHED.find((name) => this.#has(name === '.' ? 'index.html' : `${name}/index.html`));
    if (folder === undefined) return null;
    this.#tell(folder === '.' ? 'index.html' : `${folder}/index.html`, 'is a page that needs no build');
    return { ...this.#empty('static'), outputDirectory: folder };
  }

  /** What has to be made by a program that no builder here has, or runs as a server. */
  async #refuseOthers(project: Package | null): Promise<void> {
    const other = await generatorNotHad(project, this.files, this.root);
    if (other)
      refuse(
        'plan_not_detected',
        `${other.file} says that it is made with ${other.name}, which builds here do not have: they have Node. Build it elsewhere and deploy the folder, or add a Dockerfile.`,
      );
    const why = project && (await serverNeeded(project, this.files, this.root));
    if (why) refuse('plan_not_detected', why);
  }

  #isOfPackages({ hasWorkspaces }: Package): boolean {
    return this.root === '.' && (hasWorkspaces || this.#has('pnpm-workspace.yaml') || this.#has('lerna.json'));
  }

  /** A repository of many packages builds all of them: which one is the site has to be said. */
  async #refuseForCandidates(): Promise<void> {
    const candidates = await candidatesIn(this.files);
    if (candidates.length > 0)
      refuse('plan_not_detected', `The repository has many packages. ${choose(candidates)}`, [], { candidates });
  }

  #refuseWhatMakesNoPage({ scripts, isForOthers }: Package): void {
    const hasPage = [...PUBLISHED, 'src'].some((name) => this.#has(`${name}/index.html`));
    if (hasPage || !isForOthers || !COMPILERS.test(scripts.build ?? '')) return;
    refuse(
      'plan_not_detected',
      `package.json describes a library or a tool: it is built with “${scripts.build?.slice(0, 100)}”, and has no index.html. If its build makes pages, say plan.kind “static_build” and plan.outputDirectory.`,
    );
  }

  async #framework(project: Package | null) {
    const cwd = this.files.cwd;
    try {
      const given = new Project(this.files, this.files.resolve(`/${this.root}`), '/');
      given.setReportFn(() => undefined);
      // The folder that was asked for is looked at, and no other: what a workspace lists are patterns of a stranger’s.
      given.workspace = null;
      given.buildSystems = [];
      const frameworks = (await given.detectFrameworks()) ?? [];
      const found = frameworks.find(({ category }) => String(category) !== 'backend_framework') ?? null;
      return found && this.#isOnlyForTests(found.id, project) ? null : found;
    } finally {
      this.files.cwd = cwd;
    }
  }

  /** Vite comes along with Vitest: a plain page whose tests need it is not built by it. */
  #isOnlyForTests(id: string, project: Package | null): boolean {
    if (id !== 'vite' || !project || project.scripts.build !== undefined) return false;
    return !['js', 'mjs', 'ts', 'mts'].some((ending) => this.#has(`vite.config.${ending}`));
  }

  #because({ detected: { config } }: { readonly detected: { readonly config?: string } }): string {
    return config ?? 'package.json';
  }

  async #package(): Promise<Package | null> {
    const project = await readPackage(this.files, this.root);
    if (project !== 'unreadable') return project;
    this.#warnings.push('package.json cannot be read: it is not JSON, or too long.');
    return null;
  }

  async #manager() {
    const manager = await findManager(this.files, this.root);
    const { name, lockFile, pinnedBy, warning } = manager;
    if (lockFile !== null) this.#tell(`/${lockFile}`, `is a lock file of ${name}`);
    else this.#warnings.push('There is no lock file: each build may get other versions of what it depends on.');
    if (pinnedBy !== null) this.#tell(`/${pinnedBy}`, `asks for ${manager.packageManager}`);
    if (warning !== null) this.#warnings.push(shortened(warning));
    return manager;
  }

  #tellOfHost(host: HostSettings | null) {
    if (!host) return;
    if (host.buildCommand !== null || host.outputDirectory !== null) this.#tell(host.file, 'says how to build it');
    this.#warnings.push(...host.warnings);
  }

  async #nodeVersion({ engine }: Package, host: HostSettings | null): Promise<string> {
    for (const file of ['.nvmrc', '.node-version']) {
      if (!this.#has(file)) continue;
      const version = (await this.files.readFile(`/${this.root}/${file}`).catch(() => '')).trim().slice(0, 40);
      if (/^[\x21-\x7e]+$/.test(version)) return this.#asked(version, file);
    }
    if (host?.nodeVersion) return this.#asked(host.nodeVersion.slice(0, 40), host.file);
    return engine === null ? String(NODE_MAJOR) : this.#asked(engine, 'package.json');
  }

  #asked(version: string, file: string): string {
    this.#tell(file, `asks for Node ${version}`);
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

/** The name of the script that makes pages; null where there is none. Nuxt’s `build` makes a server. */
function buildScript(project: Package | null): string | null {
  if (project?.dependencies.has('nuxt') && project.scripts.generate !== undefined) return 'generate';
  return project?.scripts.build === undefined ? null : 'build';
}

const outputOf = (usual: string | null, script: string | null) => (script === 'generate' ? '.output/public' : usual);

const choose = (candidates: readonly Candidate[]) =>
  `These folders look like sites: ${candidates.map(({ rootDirectory }) => rootDirectory).join(', ')}. Name one as rootDirectory.`;

/** Bounds what a stranger wrote into a script’s name or a version, and makes it well-formed text. */
export const shortened = (text: string) => text.slice(0, 1_000).toWellFormed();
