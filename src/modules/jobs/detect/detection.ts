import type { Plan } from '../../../events/repo-source.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { type Candidate, findCandidates, type PlanOf } from './candidates.js';
import { detectFramework, hasOwnSources } from './framework.js';
import { type HostSettings, hostSettings } from './host-files.js';
import { NODE_MAJOR } from './node-version.js';
import { readOutputSetting } from './output-setting.js';
import { type Package, readPackage } from './package-json.js';
import { findManager } from './package-manager.js';
import type { RepoFiles } from './repo-files.js';
import { assertMadeHere, describeOther, type Generators, isNxWorkspace, NX } from './unbuildable/made-elsewhere.js';
import {
  describeLibrary,
  isCompilation,
  isOwnServer,
  warnOfServer,
  whyNoPage,
  whyNoSite,
} from './unbuildable/makes-no-page.js';
import { findDocumentation } from './unbuildable/other-generators.js';
import { otherProgram, otherWorker, warnOfFunctions } from './unbuildable/other-programs.js';
import { isNextExport, serverNeeded } from './unbuildable/server-rendered.js';

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
    private readonly generators: Generators,
    private readonly planOf: PlanOf,
  ) {}

  /** Returns the detected plan, or a plan of the given kind. Refuses with `plan_not_detected`. */
  async run(kind: Plan['kind'] | undefined): Promise<Detected> {
    if (kind === undefined && this.#dockerfile() !== undefined) return this.#besideDockerfile();
    const all = [() => this.#built(kind), () => this.#plain(), () => this.#container()];
    for (const look of all) {
      const plan = await look();
      if (!plan || (kind !== undefined && plan.kind !== kind)) continue;
      return this.#detected(plan);
    }
    if (kind === undefined) return this.#nothing();
    const plan = { ...this.#empty(kind), ...(kind === 'static' && { outputDirectory: '.' }) };
    return {
      plan,
      evidence: [],
      warnings: [`Using plan.kind “${kind}” as requested, although nothing in the repository indicates it.`],
    };
  }

  #detected = (plan: Plan): Detected => ({ plan, evidence: this.#evidence, warnings: this.#warnings });

  /**
   * Detects the plan of a folder with a Dockerfile, which is often only for development or for another host. Therefore,
   * pages that need no server take precedence, and the evidence names the Dockerfile as an alternative.
   */
  async #besideDockerfile(): Promise<Detected> {
    const plan = await this.#pages();
    if (plan !== null) {
      const alternative = 'describes a container image: set plan.kind to “container” to build and run it instead';
      this.#tell(this.#dockerfile() ?? '', alternative);
      return this.#detected(plan);
    }
    this.#evidence.length = 0;
    this.#warnings.length = 0;
    const project = await this.#package();
    const why = project && (await serverNeeded(project, this.files, this.root));
    if (why) this.#warn(why);
    const image = this.#container();
    return image ? this.#detected(image) : this.#nothing();
  }

  /** Returns a plan for pages if it is more likely to be intended than the Dockerfile; otherwise null. */
  async #pages(): Promise<Plan | null> {
    const project = await this.#package();
    if (otherProgram(this.files, this.root) !== null || (project && isOwnServer(project))) return null;
    try {
      const built = await this.#built(undefined);
      const isKnown = built?.kind === 'next' || (built && (built.framework ?? built.outputDirectory) !== null);
      if (built) return isKnown || PUBLISHED.some((name) => this.#has(`${name}/index.html`)) ? built : null;
      const plain = await this.#plain();
      return plain?.outputDirectory === 'docs' ? null : plain;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'plan_not_detected') return null;
      throw error;
    }
  }

  async #nothing(): Promise<never> {
    const place = this.root === '.' ? 'the repository root' : `“${this.root}”`;
    const project = await this.#package();
    const documentation = findDocumentation(this.files, this.root);
    const because = [
      ...new Set(this.#warnings),
      (project && whyNoSite(project)) ??
        (documentation && describeOther(documentation)) ??
        otherProgram(this.files, this.root) ??
        '',
    ];
    const looked =
      `${because.join(' ')} Found no Next.js project, no site generator and no build script in ${place}, no index.html there or in its public and docs folders, and no Dockerfile.`.trim();
    await this.#refuseForCandidates(looked);
    return refuse('plan_not_detected', looked);
  }

  #dockerfile = () => DOCKERFILES.find((name) => this.#has(name));

  #container(): Plan | null {
    const dockerfile = this.#dockerfile();
    if (dockerfile === undefined) return null;
    this.#tell(dockerfile, 'describes a container image');
    return { ...this.#empty('container'), dockerfile };
  }

  async #built(wanted: Plan['kind'] | undefined): Promise<Plan | null> {
    const project = await this.#package();
    const host = await this.#hostSettings();
    if (wanted === undefined) await assertMadeHere(project, this.files, this.root, this.generators);
    const isNext = wanted !== 'static_build' && (project?.dependencies.has('next') ?? false);
    const framework = isNext ? null : await detectFramework(this.files, this.root, project, this.generators.hasHugo);
    const usual = isNext ? 'next build' : (framework?.buildCommand ?? null);
    const script = project && chooseScript(project, usual);
    if (!isNext && !framework && script === null && !host?.buildCommand) return null;

    if (isNext) this.#tell('package.json', 'depends on next');
    else if (framework) this.#tell(framework.file, `indicates that the site is built with ${framework.name}`);
    if (script !== null) this.#tell('package.json', `has a ${script} script`);
    if (wanted === undefined && !host?.buildCommand && isNxWorkspace(this.files, this.root)) {
      await this.#refuseForCandidates(SEVERAL);
      refuse('plan_not_detected', NX);
    }
    const isDeclaredOnly = usual !== null && !hasOwnSources(this.files, this.root);
    if (wanted === undefined && isDeclaredOnly && !host?.buildCommand && project && this.#isOfPackages(project))
      await this.#refuseForCandidates(SEVERAL);
    const isOnlyForOthers = project?.isForOthers && (usual === null || isDeclaredOnly) && framework?.id !== 'storybook';
    if (wanted === undefined && script === null && !host?.buildCommand && isOnlyForOthers)
      refuse('plan_not_detected', describeLibrary(null));
    if (wanted === undefined && project && !isNext && !framework) {
      if (!host?.buildCommand) this.#refuseWhatMakesNoPage(project);
      if (!host?.outputDirectory && this.#isOfPackages(project)) await this.#refuseForCandidates(SEVERAL);
    }
    const manager = project && (await this.#manager());
    const asked = script === 'generate' ? null : host?.buildCommand;
    const run = manager && script !== null ? `${manager.name} run ${script}` : null;
    this.#tellOfHost(host);
    await this.#tellOfCode(project);
    return {
      ...this.#empty(isNext ? 'next' : 'static_build'),
      framework: isNext ? 'next' : (framework?.id ?? null),
      packageManager: manager?.packageManager ?? null,
      nodeVersion: project ? await this.#nodeVersion(project, host) : null,
      installCommand: host?.installCommand ?? manager?.install ?? null,
      // Hugo is provided by the operator. Every other site generator is a dependency of the project, so `npx` runs it.
      buildCommand: asked ?? run ?? (manager && usual && framework?.id !== 'hugo' ? `npx ${usual}` : usual),
      outputDirectory: isNext
        ? project && (await isNextExport(project, this.files, this.root))
          ? ((await readOutputSetting({ id: 'next', buildCommand: 'next build' }, this.files, this.root, project)) ??
            'out')
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
    const project = await this.#package();
    const server = project && warnOfServer(project);
    if (server !== null) this.#warn(server);
    await this.#tellOfCode(project);
    return { ...this.#empty('static'), outputDirectory: folder };
  }

  #isOfPackages({ hasWorkspaces }: Package): boolean {
    return this.root === '.' && (hasWorkspaces || this.#has('pnpm-workspace.yaml') || this.#has('lerna.json'));
  }

  /** Refuses the repository if folders in it can be deployed separately, so that the caller chooses one. */
  async #refuseForCandidates(why: string): Promise<void> {
    const candidates = this.root === '.' ? await findCandidates(this.files, this.planOf) : [];
    if (candidates.length > 0) refuse('plan_not_detected', `${why} ${choose(candidates)}`, [], { candidates });
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

  /** Warns about code that other hosts would run, but this service does not. */
  async #tellOfCode(project: Package | null) {
    const warnings = [await otherWorker(this.files, this.root), warnOfFunctions(this.files, this.root, project)];
    for (const warning of warnings) if (warning !== null) this.#warn(warning);
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

  /**
   * Adds a file to the evidence for the plan. Its path is relative to the root directory, or to the repository if it
   * begins with a slash.
   */
  #tell(file: string, why: string): void {
    this.#evidence.push({ file: this.files.resolve('/', this.root, file).slice(1), why: shortened(why) });
  }
}

const SEVERAL = 'The repository contains several packages.';

/** Commands in a script that run other scripts, which may build the pages. */
const RUNS_OTHERS =
  /\b(?:run|run-s|run-p|npm-run-all|concurrently|wireit|turbo|lerna|nx|pnpm|yarn|bun|make|gulp|grunt)\b/;
/** Names of scripts that don't exit or don't build anything. */
const NOT_A_BUILD = /(?:^|[:_-])(?:dev|start|serve|preview|watch|test|lint|check|deploy|clean)(?:$|[:_-])/;

/**
 * Returns the name of the script that builds pages, or null. This is not always `build`: in a Nuxt project, that script
 * builds a server, and in a library, it builds the library, while another script generates the documentation.
 */
function chooseScript({ dependencies, scripts }: Package, usual: string | null): string | null {
  if (dependencies.has('nuxt') && scripts.generate !== undefined) return 'generate';
  const { build } = scripts;
  const [tool = '', verb = ''] = usual?.split(' ') ?? [];
  const isCaller = (script: string) => {
    const words = script.split(/[\s&;|]+/, 100);
    return usual !== null && words.includes(tool) && (!/^\w+$/.test(verb) || words.includes(verb));
  };
  if (build !== undefined && (usual === null || isCaller(build) || RUNS_OTHERS.test(build))) return 'build';
  const caller = Object.keys(scripts).find((name) => !NOT_A_BUILD.test(name) && isCaller(scripts[name] ?? ''));
  if (caller !== undefined) return caller;
  const isOfLibrary = build !== undefined && (isCompilation(build) || /^vite build\b/.test(build));
  return build === undefined || (isOfLibrary && DOCUMENTATION.has(tool)) ? null : 'build';
}

const DOCUMENTATION = new Set(['vitepress', 'vuepress', 'storybook', 'build-storybook', 'docusaurus']);

const outputOf = (usual: string | null, script: string | null) => (script === 'generate' ? '.output/public' : usual);

const choose = (candidates: readonly Candidate[]) =>
  `These folders look like sites: ${candidates.map(({ rootDirectory }) => rootDirectory).join(', ')}. Set rootDirectory to one of them.`;

export const shortened = (text: string) => text.slice(0, 1_000).toWellFormed();
