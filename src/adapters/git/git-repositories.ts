import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import { formatBytes } from '../../kernel/output/quantities.js';
import { type RepoAddress, RepoCopy, type RepoEntry, Repositories } from '../../kernel/ports/outside/repositories.js';
import { refuse } from '../../kernel/refusal.js';
import type { HostLookup } from '../network/public-address.js';
import { type Advertisement, parseAdvertisement } from './advertisement.js';
import { checkedAddresses } from './checked-host.js';
import { gitSays, MAX_GIT_OUTPUT_BYTES, PATIENCE_SECONDS, startGit } from './git-process.js';
import { ObjectReader } from './object-reader.js';
import { checkRef, repoUrl } from './repo-url.js';
import { treeListing } from './tree-listing.js';

const programs = [
  { name: 'git', args: ['--version'], from: 'git' },
  { name: 'prlimit', args: ['--version'], from: 'util-linux' },
  { name: 'timeout', args: ['--version'], from: 'coreutils' },
] as const;

/** Returns a message with the programs missing on this machine and their packages, or null if none is missing. */
async function missingPrograms(): Promise<string | null> {
  // One process usually suffices to check all three programs. Three would take at least 10 ms of CPU time.
  if (await runs('timeout', ['5', 'prlimit', '--core=0', 'git', '--version'])) return null;
  const found = await Promise.all(programs.map(async ({ name, args }) => runs(name, args)));
  const missing = programs.filter((_, index) => !found[index]);
  if (missing.length === 0) return null;
  const names = missing.map(({ name }) => name).join(', ');
  const packages = [...new Set(missing.map(({ from }) => from))].join(' ');
  return `This server cannot read repositories without ${names}. On Debian: apt-get install ${packages}`;
}

async function runs(name: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(name, args, { stdio: 'ignore', timeout: 5_000 });
  return Promise.race([once(child, 'close'), once(child, 'error').then(() => [1])]).then(
    ([code]) => code === 0,
    () => false,
  );
}

/** The only ref in a copy. */
const COPIED = 'refs/stele/copied';
/** Age at which a copy must have been left behind by a killed process. */
const LEFT_OVER_MS = 3_600_000;

/** Reads repositories with this machine’s git, using bare clones in subfolders of one folder. */
export class GitRepositories extends Repositories {
  #missing: string | null = 'The server is still checking whether it can read repositories.';

  constructor(
    private readonly folder: string,
    /** Hosts (`host:port`) that can be private and use plain http. */
    private readonly listed: ReadonlySet<string>,
    private readonly lookup: HostLookup,
    /** Throws `StorageFullError` if there is no space for another copy. */
    private readonly assertRoom: () => Promise<void> = async () => undefined,
  ) {
    super();
  }

  override get missing() {
    return this.#missing;
  }

  /** Checks for missing programs, and removes copies left behind by killed processes. */
  async start(): Promise<void> {
    this.#missing = await missingPrograms();
    await mkdir(this.folder, { recursive: true });
    const before = Date.now() - LEFT_OVER_MS;
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name);
      const made = await stat(path).catch(alreadyGone);
      if (made && made.mtimeMs < before) await rm(path, { recursive: true, force: true });
    }
  }

  override async admit({ url, ref, isBranch = false }: RepoAddress, signal: AbortSignal): Promise<RepoAddress> {
    if (this.#missing !== null) refuse('builder_unavailable', this.#missing);
    const read = repoUrl(url, this.listed);
    if (ref !== null) checkRef(ref, isBranch ? 'branch' : 'ref');
    await checkedAddresses(read, this.lookup, signal);
    return { url: read.href, ref };
  }

  override async head(address: RepoAddress, signal: AbortSignal): Promise<string | null> {
    const { url } = await this.admit(address, signal);
    const found = await parseAdvertisement(url, this.listed, this.lookup, signal);
    const { full } = nameOf(found, address);
    return found.refs?.get(full) ?? null;
  }

  override async copy(address: RepoAddress, given: AbortSignal): Promise<RepoCopy> {
    const { url } = await this.admit(address, given);
    await this.assertRoom();
    const late = AbortSignal.timeout(PATIENCE_SECONDS * 1_000);
    const signal = AbortSignal.any([given, late]);
    const folder = await mkdtemp(join(this.folder, 'copy-'));
    try {
      const found = await parseAdvertisement(url, this.listed, this.lookup, signal);
      const name = nameOf(found, address);
      await fetchInto(folder, found, name.full, signal);
      const commit = await gitSays(
        { args: [`--git-dir=${folder}`, 'rev-parse', '--verify', '--quiet', `${COPIED}^{commit}`] },
        signal,
      );
      if (!commit) return refuse('repo_unreachable', `“${name.short}” does not point to a commit.`);
      return new GitCopy(folder, found.url.href, name.short, commit.trim(), given);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      given.throwIfAborted();
      if (late.aborted)
        refuse('repo_unreachable', `The repository could not be cloned within ${PATIENCE_SECONDS} seconds.`);
      throw error;
    }
  }
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Returns the ref to request, in full and in short form. As in `git clone`, a branch takes precedence over a tag. */
function nameOf(
  { refs, head }: Advertisement,
  { ref, isBranch = false }: Pick<RepoAddress, 'ref' | 'isBranch'>,
): { full: string; short: string } {
  if (ref === null) {
    if (refs?.size === 0 || (refs && !refs.has('HEAD') && !head)) return missing('The repository has no commits.');
    return { full: 'HEAD', short: head?.replace(/^refs\/heads\//, '') ?? 'HEAD' };
  }
  const branch = `refs/heads/${ref}`;
  if (isBranch)
    return refs === null || refs.has(branch)
      ? { full: branch, short: ref }
      : missing(`The repository has no branch “${ref}”.`);
  const full = [branch, `refs/tags/${ref}`].find((name) => refs?.has(name));
  if (full) return { full, short: ref };
  if (COMMIT.test(ref)) return { full: ref, short: ref };
  return refs === null ? { full: ref, short: ref } : missing(`The repository has no branch or tag “${ref}”.`);
}

const missing = (detail: string): never =>
  refuse('repo_unreachable', detail, [{ path: 'ref', message: 'does not exist in the repository' }]);

async function fetchInto(folder: string, { url, addresses }: Advertisement, ref: string, signal: AbortSignal) {
  const made = await gitSays({ args: ['init', '--bare', '--quiet', '--template=', '--', folder] }, signal);
  if (made === null) throw new Error('git init failed.');

  const pinned = addresses.map((address) => (address.includes(':') ? `[${address}]` : address)).join(',');
  const config = url.host.includes(':') ? [] : [`http.curloptResolve=${url.host}:${url.port}:${pinned}`];
  const fetching = ['fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  const git = startGit(
    {
      args: [`--git-dir=${folder}`, ...fetching, '--', url.href, `+${ref}:${COPIED}`],
      config,
      protocol: url.secure ? 'https' : 'http',
    },
    signal,
  );
  git.stdin.end();
  git.stdout.resume();
  if (await git.ended) return;
  signal.throwIfAborted();
  git.assertNotKilled();
  if ((await bytesIn(folder)) >= MAX_GIT_OUTPUT_BYTES * 0.99)
    refuse('too_large', `The repository is larger than the maximum of ${formatBytes(MAX_GIT_OUTPUT_BYTES)}.`);
  refuse(
    'repo_unreachable',
    'The repository could not be cloned: its host closed the connection or sent invalid data.',
  );
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

class GitCopy extends RepoCopy {
  #reader: ObjectReader | null = null;

  constructor(
    private readonly folder: string,
    override readonly url: string,
    override readonly ref: string,
    override readonly commit: string,
    private readonly signal: AbortSignal,
  ) {
    super();
  }

  override entries(atMost: number): Promise<readonly RepoEntry[]> {
    return treeListing(this.folder, this.commit, atMost, this.signal);
  }

  override content({ oid }: RepoEntry): AsyncIterable<Uint8Array> {
    this.#reader ??= new ObjectReader(this.folder, this.signal);
    return this.#reader.content(oid);
  }

  override async close(): Promise<void> {
    await this.#reader?.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
