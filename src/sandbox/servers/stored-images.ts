import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type Docker from 'dockerode';
import { alreadyGone, ignoreFault } from '../../kernel/faults/ignored-fault.js';
import { UnrunnableServerError } from '../../kernel/ports/outside/server-runner.js';

/** Repository name of site images. The tag is the digest of the stored archive. */
const REPOSITORY = 'localhost/stele-program';
/** Number of images to keep for later starts, in addition to those in use. */
const KEPT = 20;

export type StoredImage = {
  readonly name: string;
  readonly user: string | null;
  /** The first port that the image exposes, if any. */
  readonly port: string | null;
  /** The image’s volumes, and other folders that its server writes to when it starts. */
  readonly writableFolders: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
};

/** Stored images in the engine. Each image is loaded once and shared by all servers that run it. */
export class ImageStore {
  readonly #loading = new Map<string, Promise<StoredImage>>();

  constructor(private readonly docker: Docker) {}

  /** Loads an image unless it is already loaded. Throws `UnrunnableServerError` if the archive is not an image. */
  async take(digest: string, content: () => AsyncIterable<Uint8Array>): Promise<StoredImage> {
    await this.#forgetRemoved(digest);
    const loading = this.#loading.get(digest) ?? this.#load(digest, content);
    // Moves the image to the end, because the least recently used images are removed first.
    this.#loading.delete(digest);
    this.#loading.set(digest, loading);
    try {
      return await loading;
    } catch (error) {
      this.#loading.delete(digest);
      throw error;
    }
  }

  /** Forgets a loaded image if it was removed from the engine, for example by an administrator. */
  async #forgetRemoved(digest: string): Promise<void> {
    const known = this.#loading.get(digest);
    const image = await known?.catch(ignoreFault);
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
    if (loaded === null)
      throw new UnrunnableServerError(`The stored image could not be loaded: ${said.trim().slice(0, 300)}`);
    await this.docker.getImage(loaded).tag(name);
    // Removes the image’s original name, because it could collide with the name of another image.
    if (loaded !== tagged && !loaded.startsWith('sha256:'))
      await this.docker.getImage(loaded).remove().catch(ignoreFault);
    return (
      (await this.#describe(tagged)) ??
      Promise.reject(new UnrunnableServerError('The stored image could not be found after it was loaded.'))
    );
  }

  /** Loads an image. Engines report an invalid image either in their output or as an error. */
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
    const { User, ExposedPorts, Volumes, Labels, Env } = found.Config ?? {};
    const [exposed] = Object.keys(ExposedPorts ?? {});
    return {
      name,
      user: User || null,
      port: exposed === undefined ? null : (exposed.split('/')[0] ?? null),
      writableFolders: [...new Set([...Object.keys(Volumes ?? {}), ...foldersOfStockServer(Env ?? [])])],
      labels: Labels ?? {},
    };
  }

  async #removeOldest(): Promise<void> {
    for (const digest of [...this.#loading.keys()].slice(0, Math.max(0, this.#loading.size - KEPT))) {
      const isGone = await this.docker
        .getImage(`${REPOSITORY}:${digest}`)
        .remove()
        .then(() => true, ignoreFault);
      if (isGone) this.#loading.delete(digest);
    }
  }
}

/**
 * Returns the folder that nginx or Apache httpd writes to when it starts, if the image is based on the official one. The
 * official images do not declare this folder as a volume. They are recognized by variables that their Dockerfiles set
 * (github.com/nginx/docker-nginx, github.com/docker-library/httpd).
 */
function foldersOfStockServer(env: readonly string[]): string[] {
  if (env.some((each) => each.startsWith('NGINX_VERSION='))) return ['/var/cache/nginx'];
  return env.includes('HTTPD_PREFIX=/usr/local/apache2') ? ['/usr/local/apache2/logs'] : [];
}

/** Parses `{"stream":"Loaded image: NAME"}` or `Loaded image ID: sha256:…`. Returns null after a failure. */
function loadedIn(said: string): string | null {
  const words = /Loaded image(?:\(s\)| ID)?: *([^\s"\\,]+)/.exec(said);
  return words?.[1] ?? null;
}
