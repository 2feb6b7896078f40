import type { Plan, RepoSource } from '../../../events/repo-source.js';
import type { Builder, ToolDescriptor } from '../../../kernel/ports/outside/builder.js';

/** What a deploy was made of. */
export type Materials = {
  /** Where the repository was found in the end, and the name that its commit was found by. */
  readonly url: string;
  readonly ref: string;
  readonly commit: string;
  /** As it was carried out. */
  readonly plan: Plan;
  /** What ran the commands of the plan; `none` where it has no commands. */
  readonly engine: Builder['engine'];
  /** What decided which dependencies were installed, relative to the repository; null where nothing did. */
  readonly lockFile: { readonly path: string; readonly sha256: string } | null;
  readonly tools: readonly ToolDescriptor[];
  /** The earlier job that installed the dependencies; null if this one did, or if there are none. */
  readonly dependenciesFrom: string | null;
};

export type MadeDeploy = {
  readonly jobId: string;
  readonly deployId: string;
  /** The deploy’s digest, 64 hexadecimal digits. */
  readonly manifest: string;
  /** As it was asked for. */
  readonly source: RepoSource;
  readonly materials: Materials;
  /** RFC 3339: when the worker took the job up, and when everything was made and stored. */
  readonly startedOn: string;
  readonly finishedOn: string;
};

export type MadeBy = {
  readonly baseUrl: string;
  /** Of this product. */
  readonly version: string;
};

/** The name of what jobs do with a repository. docs/provenance.md says what its parameters mean. */
export const BUILD_TYPE = 'urn:stele:repository-deploy:v1';

/** How a deploy was made: an in-toto statement (v1) with SLSA provenance (v1), as docs/provenance.md describes it. */
export function provenanceStatement(
  { jobId, deployId, manifest, source, materials, startedOn, finishedOn }: MadeDeploy,
  { baseUrl, version }: MadeBy,
) {
  const { url, ref, commit, plan, engine, lockFile, tools, dependenciesFrom } = materials;
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: deployId, digest: { sha256: manifest } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: {
          repository: source.url,
          ref: source.ref,
          rootDirectory: source.rootDirectory,
          plan: source.plan,
        },
        internalParameters: { plan },
        resolvedDependencies: [
          { uri: `git+${url}@${inUri(ref)}`, digest: { gitCommit: commit } },
          ...(lockFile === null ? [] : [{ name: lockFile.path, digest: { sha256: lockFile.sha256 } }]),
          ...(dependenciesFrom === null
            ? []
            : [{ name: 'dependencies', uri: `${baseUrl}/v1/jobs/${dependenciesFrom}` }]),
          ...tools.map(({ name, uri, digest }) => ({ name, uri, ...(digest !== null && { digest }) })),
        ],
      },
      runDetails: {
        builder: { id: `${baseUrl}/#builder=${engine}`, version: { stele: version } },
        metadata: { invocationId: jobId, startedOn, finishedOn },
      },
    },
  };
}

/** The names of branches and tags are nearly free. */
const inUri = (ref: string) => encodeURIComponent(ref.toWellFormed()).replaceAll('%2F', '/');
