import { expect } from '@jest/globals';
import type { RepoSource } from '../../../src/events/repo-source.js';
import { RepoCopy, type RepoEntry } from '../../../src/kernel/ports/outside/repositories.js';
import { type BuildContext, detected, USUAL_CONTEXT } from '../../../src/modules/jobs/detect/detected.js';
import { RepoFiles } from '../../../src/modules/jobs/detect/repo-files.js';

export type InCommit = string | { readonly kind: 'link' | 'submodule'; readonly target?: string };
export type FilesOfCommit = Readonly<Record<string, InCommit>>;

class Commit extends RepoCopy {
  override readonly url = 'https://example.org/a';
  override readonly ref = 'main';
  override readonly refKind = 'branch';
  override readonly commit = '1'.repeat(40);

  override commitObject = async () => Buffer.from('');

  constructor(private readonly files: FilesOfCommit) {
    super();
  }

  override entries = async () =>
    Object.entries(this.files).map(
      ([path, given]): RepoEntry => ({
        path,
        kind: typeof given === 'string' ? 'file' : given.kind,
        oid: path,
        size: Buffer.byteLength(textOf(given)),
        isExecutable: false,
      }),
    );

  override async *content({ oid }: RepoEntry) {
    yield Buffer.from(textOf(this.files[oid] ?? ''));
  }

  override close = async () => undefined;
}

export const commitInMemory = (files: FilesOfCommit): RepoCopy => new Commit(files);

const textOf = (given: InCommit) => (typeof given === 'string' ? given : (given.target ?? ''));

/** Detects the plan for a repository with these files. `context` overrides the default settings. */
export const detect = async (
  files: FilesOfCommit,
  wanted: Partial<Pick<RepoSource, 'rootDirectory' | 'plan'>> = {},
  context: Partial<BuildContext> = {},
) =>
  detected(
    await RepoFiles.of(new Commit(files)),
    { rootDirectory: null, plan: {}, ...wanted },
    { ...USUAL_CONTEXT, ...context },
  );

export const packageJson = (dependencies: Record<string, string>, more: object = {}) =>
  JSON.stringify({ dependencies, scripts: { build: 'x build' }, ...more });

export const refused = (code: string) => expect.objectContaining({ name: 'Refusal', code });
