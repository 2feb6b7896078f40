import type { Plan } from '../../../events/repo-source.js';
import { refuse } from '../../../kernel/refusal.js';
import { type Candidate, findCandidates } from './candidates.js';
import { detectFramework } from './framework.js';
import { type HostSettings, hostSettings } from './host-files.js';
import { NODE_MAJOR } from './node-version.js';
import { type Package, readPackage } from './package-json.js';
import { findManager } from './package-manager.js';
import type { RepoFiles } from './repo-files.js';
import { assertMadeHere, isNxWorkspace, NX } from './unbuildable/made-elsewhere.js';
import { isLibrary, whyNoPage, whyNoSite } from './unbuildable/makes-no-page.js';
import { otherProgram, otherWorker } from './unbuildable/other-programs.js';
import { isNextExport } from './unbuildable/server-rendered.js';

export type Detected = {
  readonly plan: Plan;
  readonly evidence: readonly { readonly file: string; readonly why: string }[];
  readonly warnings: readonly string[];
};

/** Folders searched for pages that need no build. */
const PUBLISHED = ['.', 'public', 'docs'];

const DOCKERFILES = ['Dockerfile', 'Containerfile'];

export class Detection {
  readonly #evidence: { file: string; why: string }[] = [];
  readonly #warnings: string[] = [];

  constructor(
    private readonly files: RepoFiles,
    private readonly root: string,
  ) {}

  /** Returns the detected plan, or a plan of the given kind. Refuses with `plan_not_detected`. */
  async run(kind: Plan['kind'] | undefined): Promise<Detected> {
    const all = [() => this.#container(), () => this.#built(kind), () => this.#plain()];
    for (const look of all) {
      const plan = await look();
      if (!plan || (kind !== undefined && plan.kind !== kind)) continue;
      return { plan, evidence: this.#evidence, warnings: this.#warnings };
    }
    if (kind === undefined) return this.#nothing();
    const plan = { ...this.#empty(kind), ...(kind === 'static' && { outputDirectory: '.' }) };
    return {
      plan,
      evidence: [],
      warnings: [`Using plan.kind “${kind}” as requested, although nothing in the repository indicates it.`],
    };
  }

  async #nothing(): Promise<never> {
    const place = this.root === '.' ? 'the repository root' : `“${this.root}”`;
    const project = await this.#package();
    const because = [
      ...new Set(this.#warnings),
      (project && whyNoSite(project)) ?? otherProgram(this.files, this.root) ?? '',
    ];
    const looked =
      `${because.join(' ')} Found no Dockerfile, no Next.js project, no site generator and no build script in ${place}, and no index.html there or in its public and docs folders.`.trim();
    const candidates = this.root === '.' ? await findCandidates(this.files) : [];
    if (candidates.length === 0) return refuse('plan_not_detected', looked);
    return refuse('plan_not_detected', `${looked} ${choose(candidates)}`, [], { candidates });
  }

  #container(): Plan | null {
    const dockerfile = DOCKERFILES.find((name) => this.#has(name));
    if (dockerfile === undefined) return null;
    this.#tell(dockerfile, 'describes a container image');
    return { ...this.#empty('container'), dockerfile };
  }

  async #built(wanted: Plan['kind'] | undefined): Promise<Plan | null> {
    const project = await this.#package();
    const host = await this.#hostSettings();
    if (wanted === undefined) await assertMadeHere(project, this.files, this.root);
    const isNext = wanted !== 'static_build' && (project?.dependencies.has('next') ?? false);
    const framework = isNext ? null : await detectFramework(this.files, this.root, project);
    const script = buildScript(project);
    if (!isNext && !framework && script === null && !host?.buildCommand) return null;

    if (isNext) this.#tell('package.json', 'depends on next');
    else if (framework) this.#tell(framework.file, `indicates that the site is built with ${framework.name}`);
    if (script !== null) this.#tell('package.json', `has a ${script} script`);
    if (wanted === undefined && !host?.buildCommand && isNxWorkspace(this.files, this.root)) {
      await this.#refuseForCandidates();
      refuse('plan_not_detected', NX);
    }
    if (wanted === undefined && script === null && !host?.buildCommand && project?.isForOthers)
      refuse('plan_not_detected', isLibrary(null));
    if (wanted === undefined && project && !isNext && !framework) {
      if (!host?.buildCommand) this.#refuseWhatMakesNoPage(project);
      if (!host?.outputDirectory && this.#isOfPackages(project)) await this.#refuseForCandidates();
    }
    const manager = project && (await this.#manager());
    const usual = isNext ? 'next build' : (framework?.buildCommand ?? null);
    const asked = script === 'generate' ? null : host?.buildCommand;
    const run = manager && script !== null ? `${manager.name} run ${script}` : null;
    this.#tellOfHost(host);
    await this.#tellOfWorker();
    return {
      ...this.#empty(isNext ? 'next' : 'static_build'),
      framework: isNext ? 'next' : (framework?.id ?? null),
      packageManager: manager?.packageManager ?? null,
      nodeVersion: project ? await this.#nodeVersion(project, host) : null,
      installCommand: host?.installCommand ?? manager?.install ?? null,
      buildCommand: asked ?? run ?? (manager && usual ? `npx ${usual}` : usual),
      outputDirectory: isNext
        ? project && (await isNextExport(project, this.files, this.root))
          ? 'out'
          : null
        : (host?.outputDirectory ?? outputOf(framework?.outputDirectory ?? null, script)),
    };
  }

  async #plain(): Promise<Plan | null> {
    const host = await this.#hostSettings();
    const named = host?.outputDirectory ?? '.';
    const folder = [named, ...PUBLISHED].find((name) => this.#has(name === '.' ? 'index.html' : `${name}/index.html`));
    if (folder === undefined) return null;
    this.#tell(folder === '.' ? 'index.html' : `${folder}/index.html`, 'is a page that needs no build step');
    this.#tellOfHost(host);
    const program = otherProgram(this.files, this.root);
    if (program !== null) this.#warn(program);
    await this.#tellOfWorker();
    return { ...this.#empty('static'), outputDirectory: folder };
  }

  #isOfPackages({ hasWorkspaces }: Package): boolean {
    return this.root === '.' && (hasWorkspaces || this.#has('pnpm-workspace.yaml') || this.#has('lerna.json'));
  }

  /** Building a repository with several packages builds all of them, so the caller has to choose one. */
  async #refuseForCandidates(): Promise<void> {
    const candidates = await findCandidates(this.files);
    if (candidates.length > 0)
      refuse('plan_not_detected', `The repository contains several packages. ${choose(candidates)}`, [], {
        candidates,
      });
  }

  #refuseWhatMakesNoPage(project: Package): void {
    const hasPage = [...PUBLISHED, 'src'].some((name) => this.#has(`${name}/index.html`));
    const why = hasPage ? null : whyNoPage(project);
    if (why !== null) refuse('plan_not_detected', why);
  }

  async #package(): Promise<Package | null> {
    const project = await readPackage(this.files, this.root);
    if (project !== 'unreadable') return project;
    this.#warn('Could not read package.json: it is not valid JSON or is larger than 1 MiB.');
    return null;
  }

  async #hostSettings(): Promise<HostSettings | null> {
    const host = await hostSettings(this.files, this.root);
    for (const warning of host?.warnings ?? []) this.#warn(warning);
    return host;
  }

  async #manager() {
    const manager = await findManager(this.files, this.root);
    const { name, lockFile, pinnedBy, warning } = manager;
    if (lockFile !== null) this.#tell(`/${lockFile}`, `is a lock file for ${name}`);
    else this.#warnings.push('No lock file found, so each build may install different versions.');
    if (pinnedBy !== null) this.#tell(`/${pinnedBy}`, `pins ${manager.packageManager}`);
    if (warning !== null) this.#warnings.push(shortened(warning));
    return manager;
  }

  #tellOfHost(host: HostSettings | null) {
    if (!host) return;
    if (host.buildCommand !== null || host.outputDirectory !== null) this.#tell(host.file, 'contains build settings');
  }

  async #tellOfWorker() {
    const worker = await otherWorker(this.files, this.root);
    if (worker !== null) this.#warn(worker);
  }

  #warn(text: string) {
    if (!this.#warnings.includes(text)) this.#warnings.push(text);
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
    this.#tell(file, `requests Node ${version}`);
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

  /** `file` is relative to the root directory, or to the repository if it begins with a slash. */
  #tell(file: string, why: string): void {
    this.#evidence.push({ file: this.files.resolve('/', this.root, file).slice(1), why: shortened(why) });
  }
}

/** The `build` script of Nuxt builds a server instead of pages. */
function buildScript(project: Package | null): string | null {
  if (project?.dependencies.has('nuxt') && project.scripts.generate !== undefined) return 'generate';
  return project?.scripts.build === undefined ? null : 'build';
}

const outputOf = (usual: string | null, script: string | null) => (script === 'generate' ? '.output/public' : usual);

const choose = (candidates: readonly Candidate[]) =>
  `These folders look like sites: ${candidates.map(({ rootDirectory }) => rootDirectory).join(', ')}. Set rootDirectory to one of them.`;

export const shortened = (text: string) => text.slice(0, 1_000).toWellFormed();
