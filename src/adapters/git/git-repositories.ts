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
import { findRef, type RefName, refuseAmbiguous, refuseNoRef } from './ref-name.js';
import { checkRef, repoUrl } from './repo-url.js';
import { treeListing } from './tree-listing.js';

const programs = [
  { name: 'git', args: ['--version'], from: 'git' },
  { name: 'prlimit', args: ['--version'], from: 'util-linux' },
  { name: 'timeout', args: ['--version'], from: 'coreutils' },
] as const;

/** Returns a message with the programs missing on this machine and their packages, or null if none is missing. */
async function missingPrograms(): Promise<string | null> {
  // First checks all three programs with a single process, which is usually enough. Three processes would take at least
  // 10 ms of CPU time.
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

/** Name of the only ref in a local copy of a repository. */
const COPIED = 'refs/stele/copied';
/** Age from which a local copy is assumed to have been left behind by a killed process. */
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
    const name = findRef(found, address);
    return (name && found.refs?.get(name.full)) ?? null;
  }

  override async copy(address: RepoAddress, given: AbortSignal): Promise<RepoCopy> {
    const { url } = await this.admit(address, given);
    await this.assertRoom();
    const late = AbortSignal.timeout(PATIENCE_SECONDS * 1_000);
    const signal = AbortSignal.any([given, late]);
    const folder = await mkdtemp(join(this.folder, 'copy-'));
    try {
      const found = await parseAdvertisement(url, this.listed, this.lookup, signal);
      const name = findRef(found, address) ?? (await expandCommit(folder, found, address.ref ?? '', signal));
      await fetchInto(folder, found, name.full, signal);
      const commit = await gitSays(
        { args: [`--git-dir=${folder}`, 'rev-parse', '--verify', '--quiet', `${COPIED}^{commit}`] },
        signal,
      );
      if (!commit) return refuse('repo_unreachable', `“${name.short}” does not point to a commit.`);
      return new GitCopy(folder, found.url.href, name.short, kindOf(name, found), commit.trim(), given);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      given.throwIfAborted();
      if (late.aborted)
        refuse('repo_unreachable', `The repository could not be cloned within ${PATIENCE_SECONDS} seconds.`);
      throw error;
    }
  }
}

/**
 * Finds the full ID of a commit by its prefix. Fetches the history without files, but servers that do not support
 * partial clones also send the files, within the usual limits.
 */
async function expandCommit(
  folder: string,
  { url, addresses }: Advertisement,
  start: string,
  signal: AbortSignal,
): Promise<RefName> {
  const history = join(folder, 'history');
  const { config, protocol } = pinTo({ url, addresses });
  const args = ['clone', '--quiet', '--bare', '--template=', '--filter=tree:0', '--', url.href, history];
  const cloned = await gitSays({ args, config, protocol }, signal);
  const commits =
    cloned === null
      ? null
      : await gitSays({ args: [`--git-dir=${history}`, 'rev-parse', `--disambiguate=${start}`] }, signal);
  await rm(history, { recursive: true, force: true });
  const [commit, ...others] = commits?.trim().split('\n') ?? [];
  if (!commit) return refuseNoRef(start);
  return others.length > 0 ? refuseAmbiguous(start) : { full: commit, short: commit };
}

/** Git settings that restrict connections to the checked addresses of a host. */
function pinTo({ url, addresses }: Pick<Advertisement, 'url' | 'addresses'>) {
  const pinned = addresses.map((address) => (address.includes(':') ? `[${address}]` : address)).join(',');
  return {
    config: url.host.includes(':') ? [] : [`http.curloptResolve=${url.host}:${url.port}:${pinned}`],
    protocol: url.secure ? ('https' as const) : ('http' as const),
  };
}

async function fetchInto(folder: string, found: Advertisement, ref: string, signal: AbortSignal) {
  const made = await gitSays({ args: ['init', '--bare', '--quiet', '--template=', '--', folder] }, signal);
  if (made === null) throw new Error('git init failed.');

  const { url } = found;
  const fetching = ['fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  const git = startGit(
    {
      args: [`--git-dir=${folder}`, ...fetching, '--', url.href, `+${ref}:${COPIED}`],
      ...pinTo(found),
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

/** `HEAD` counts as a branch if the server reports the name of the default branch. */
function kindOf({ full }: RefName, { head }: Advertisement): RepoCopy['refKind'] {
  if (full.startsWith('refs/heads/') || (full === 'HEAD' && head !== null)) return 'branch';
  return full.startsWith('refs/tags/') ? 'tag' : 'commit';
}

class GitCopy extends RepoCopy {
  #reader: ObjectReader | null = null;

  constructor(
    private readonly folder: string,
    override readonly url: string,
    override readonly ref: string,
    override readonly refKind: RepoCopy['refKind'],
    override readonly commit: string,
    private readonly signal: AbortSignal,
  ) {
    super();
  }

  override entries(atMost: number): Promise<readonly RepoEntry[]> {
    return treeListing(this.folder, this.commit, atMost, this.signal);
  }

  override content({ oid }: RepoEntry): AsyncIterable<Uint8Array> {
    return this.#object(oid);
  }

  override async commitObject(): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#object(this.commit)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  #object(oid: string): AsyncIterable<Uint8Array> {
    this.#reader ??= new ObjectReader(this.folder, this.signal);
    return this.#reader.content(oid);
  }

  override async close(): Promise<void> {
    await this.#reader?.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
