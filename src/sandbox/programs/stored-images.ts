import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type Docker from 'dockerode';
import { alreadyGone, doneWithout } from '../../kernel/faults/ignored-fault.js';
import { ProgramFault } from '../../kernel/ports/outside/programs.js';

/** What images of sites are called; the tag is the digest of the archive that each was stored as. */
const REPOSITORY = 'localhost/stele-program';
/** So many stay for the next start, besides those that run. */
const KEPT = 20;

/** What an image says of itself. */
export type StoredImage = {
  readonly name: string;
  /** Null where it says nothing. */
  readonly user: string | null;
  /** The first port that it exposes; null for none. */
  readonly port: string | null;
  /** Folders that it wants to write to. */
  readonly volumes: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
};

/** Stored images in the engine’s own storage: one for each digest, however many run it. */
export class StoredImages {
  readonly #loading = new Map<string, Promise<StoredImage>>();

  constructor(private readonly docker: Docker) {}

  /** Throws `ProgramFault` where the archive is no image. */
  async take(digest: string, content: () => AsyncIterable<Uint8Array>): Promise<StoredImage> {
    await this.#forgetRemoved(digest);
    const loading = this.#loading.get(digest) ?? this.#load(digest, content);
    // What was asked for last goes last.
    this.#loading.delete(digest);
    this.#loading.set(digest, loading);
    try {
      return await loading;
    } catch (error) {
      this.#loading.delete(digest);
      throw error;
    }
  }

  /** Forgets an image that was removed from the engine by others, such as an administrator who prunes it. */
  async #forgetRemoved(digest: string): Promise<void> {
    const known = this.#loading.get(digest);
    const image = await known?.catch(doneWithout);
    if (!image || (await this.#describe(image.name))) return;
    if (this.#loading.get(digest) === known) this.#loading.delete(digest);
  }

  async #load(digest: string, content: () => AsyncIterable<Uint8Array>): Promise<StoredImage> {
    const name = { repo: REPOSITORY, tag: digest };
    const tagged = `${name.repo}:${name.tag}`;
    const there = await this.#describe(tagged);
    if (there) return there;
    await this.#removeOldest();
    const said = await this.#loaded(content);
    const loaded = loadedIn(said);
    if (loaded === null) throw new ProgramFault(`The stored image could not be loaded: ${said.trim().slice(0, 300)}`);
    await this.docker.getImage(loaded).tag(name);
    // By its own name it would be taken for another’s.
    if (loaded !== tagged && !loaded.startsWith('sha256:'))
      await this.docker.getImage(loaded).remove().catch(doneWithout);
    return (
      (await this.#describe(tagged)) ??
      Promise.reject(new ProgramFault('The stored image could not be found after it was loaded.'))
    );
  }

  /** Engines answer what is no image in one way or the other. */
  async #loaded(content: () => AsyncIterable<Uint8Array>): Promise<string> {
    try {
      return await text(await this.docker.loadImage(Readable.from(content())));
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #describe(name: string): Promise<StoredImage | null> {
    const found = await this.docker.getImage(name).inspect().catch(alreadyGone);
    if (!found) return null;
    const { User, ExposedPorts, Volumes, Labels } = found.Config ?? {};
    const [exposed] = Object.keys(ExposedPorts ?? {});
    return {
      name,
      user: User || null,
      port: exposed === undefined ? null : (exposed.split('/')[0] ?? null),
      volumes: Object.keys(Volumes ?? {}),
      labels: Labels ?? {},
    };
  }

  /** Those that run something cannot be removed, and stay. */
  async #removeOldest(): Promise<void> {
    for (const digest of [...this.#loading.keys()].slice(0, Math.max(0, this.#loading.size - KEPT))) {
      const isGone = await this.docker
        .getImage(`${REPOSITORY}:${digest}`)
        .remove()
        .then(() => true, doneWithout);
      if (isGone) this.#loading.delete(digest);
    }
  }
}

/** Of the lines `{"stream":"Loaded image: NAME"}` or `Loaded image ID: sha256:…` that an engine says; null for a failure. */
function loadedIn(said: string): string | null {
  const words = /Loaded image(?:\(s\)| ID)?: *([^\s"\\,]+)/.exec(said);
  return words?.[1] ?? null;
}
