import type { Plan, RepoSource } from '../../../events/repo-source.js';
import type { Builder, ToolDescriptor } from '../../../kernel/ports/outside/builder.js';

/** The inputs that a deploy was built from. */
export type Materials = {
  /** Final URL of the repository, and the ref that resolved to the commit. */
  readonly url: string;
  readonly ref: string;
  readonly commit: string;
  readonly plan: Plan;
  /** Kind of sandbox in which the plan's commands ran; `none` if the plan has no commands. */
  readonly engine: Builder['engine'];
  /** Lock file that determined the dependencies, relative to the repository. */
  readonly lockFile: { readonly path: string; readonly sha256: string } | null;
  readonly tools: readonly ToolDescriptor[];
  /** ID of the earlier job that installed the dependencies. Null if this job installed them or there are none. */
  readonly dependenciesFrom: string | null;
};

export type MadeDeploy = {
  readonly jobId: string;
  readonly deployId: string;
  /** Digest of the deploy, 64 hexadecimal digits. */
  readonly manifest: string;
  /** The source of the deploy as given in the request. */
  readonly source: RepoSource;
  readonly materials: Materials;
  /** Times (RFC 3339) at which the worker started the job and at which all results had been stored. */
  readonly startedOn: string;
  readonly finishedOn: string;
};

export type MadeBy = {
  readonly baseUrl: string;
  readonly version: string;
};

/** Build type of all repository builds. docs/provenance.md explains its parameters. */
export const BUILD_TYPE = 'urn:stele:repository-deploy:v1';

/** Returns an in-toto statement (v1) with SLSA provenance (v1), as described in docs/provenance.md. */
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

/** Encodes a ref for use in a URI, because branch and tag names may contain almost any character. */
const inUri = (ref: string) => encodeURIComponent(ref.toWellFormed()).replaceAll('%2F', '/');
