import { type Credential, read, Stele } from 'stele-api/client';
import { ProblemError } from 'stele-api/problem';
import { assertInstanceIsTrusted, type ChosenCredential, chooseCredential } from '../credentials/choose-credential.js';
import { type ChosenInstance, chooseInstance } from '../credentials/choose-instance.js';
import { exchangeCiIdentity, isCi } from '../credentials/ci-identity.js';
import { type Credentials, CredentialsFile } from '../credentials/credentials-file.js';
import { trustCertificates } from '../network/certificates.js';
import { formatClientName } from '../network/client-name.js';
import type { NewerCommand } from '../network/newer-command.js';
import { assertProxyIsSupported } from '../network/proxy.js';
import type { Output } from '../output/output.js';
import { formatDuration } from '../output/quantities.js';
import { type FoundLink, findLink, readLinkIn } from '../project/stele-json.js';
import { LIST_SITES, NotSignedInError, UsageError } from './errors.js';

export type GlobalOptions = {
  readonly instance?: string;
  readonly token?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly yes?: boolean;
  readonly ca?: string;
};

export type ChosenSite = { readonly slug: string; readonly source: 'argument' | 'flag' | 'variable' | 'stele.json' };

/** A client for the chosen instance, and the origin of its credential. */
export type Connection = { readonly stele: Stele; readonly source: ChosenCredential['source'] | 'ci' };

/** The context of one run of the command: options, folder, instance and credentials. */
export class Session {
  readonly options: GlobalOptions;
  readonly output: Output;
  readonly signal: AbortSignal;
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly credentialsFile: CredentialsFile;
  /** Whether the edit token of a new site could not be stored, so that no later command can change the site. */
  isTokenLost = false;
  #link: Promise<FoundLink | null> | undefined;
  #areCertificatesTrusted = false;
  #newerCommand: NewerCommand | null = null;
  /** Instance of the most recently created client. */
  #used: string | undefined;

  constructor(options: GlobalOptions, output: Output, signal: AbortSignal) {
    this.options = options;
    this.output = output;
    this.signal = signal;
    this.environment = process.env;
    this.folder = process.cwd();
    this.credentialsFile = new CredentialsFile();
  }

  /** A newer version of the `stele` command that an instance announced during this run, or null. */
  get newerCommand(): NewerCommand | null {
    return this.#newerCommand;
  }

  get isCi(): boolean {
    return isCi(this.environment);
  }

  /** The content of the `stele.json` that applies to this folder, or null. */
  get link(): Promise<FoundLink | null> {
    this.#link ??= findLink(this.folder);
    return this.#link;
  }

  /** Uses the `stele.json` in a folder, if there is one, instead of that of the current folder. */
  async useLinkIn(folder: string): Promise<void> {
    const link = await readLinkIn(folder);
    if (link) this.#link = Promise.resolve(link);
  }

  async chooseInstance(): Promise<ChosenInstance> {
    return chooseInstance(this.options.instance, this.environment, await this.link, await this.readCredentials());
  }

  /** Returns ` --instance URL` for suggested commands that would otherwise use another instance, or an empty string. */
  async instanceOption(): Promise<string> {
    const used = this.#used ?? (await this.chooseInstance().catch(() => null))?.url;
    const isUsual = async () =>
      chooseInstance(undefined, this.environment, await findLink(this.folder), await this.readCredentials()).url ===
      used;
    return used === undefined || (await isUsual().catch(() => false)) ? '' : ` --instance ${used}`;
  }

  readCredentials(): Promise<Credentials> {
    return this.credentialsFile.read();
  }

  /** Returns the site that the command line or STELE_SITE names, or to which this folder is linked. */
  async findSite(argument?: string, flag?: string): Promise<ChosenSite | null> {
    if (argument) return { slug: argument, source: 'argument' };
    if (flag) return { slug: flag, source: 'flag' };
    if (this.environment.STELE_SITE) return { slug: this.environment.STELE_SITE, source: 'variable' };
    const link = await this.link;
    return link?.site ? { slug: link.site, source: 'stele.json' } : null;
  }

  async getSite(argument?: string, flag?: string): Promise<ChosenSite> {
    const site = await this.findSite(argument, flag);
    if (site) return site;
    throw new UsageError('No site was named. Add --site NAME, or link this folder to a site.', [
      { command: 'stele link SITE', when: 'to link this folder to a site' },
      LIST_SITES,
    ]);
  }

  /**
   * Connects to the instance with the best credential for a site. A CI job without a credential exchanges its identity
   * for a token.
   */
  async connect({ site, anonymous }: { site?: string | undefined; anonymous?: boolean } = {}): Promise<Connection> {
    const instance = await this.chooseInstance();
    const credentials = await this.readCredentials();
    const chosen = chooseCredential(instance, {
      flag: this.options.token,
      environment: this.environment,
      credentials,
      site,
      anonymous,
    });
    const stele = this.createClient(instance.url, chosen.credential);
    const session = credentials.instances[instance.url]?.token;
    if (site && session && !anonymous && chosen.source === 'edit token' && (await this.#isClaimed(stele, site)))
      return { stele: stele.with({ kind: 'bearer', token: session }), source: 'session' };
    if (chosen.credential || anonymous) return { stele, source: chosen.source };
    if (this.environment.STELE_ID_TOKEN) assertInstanceIsTrusted(instance, credentials);
    const identity = await exchangeCiIdentity(stele, this.environment, site);
    if (!identity) return { stele, source: 'none' };
    return { stele: stele.with({ kind: 'bearer', token: identity.token }), source: 'ci' };
  }

  /** Connects like `connect`, but throws NotSignedInError if there is no credential. */
  async connectSignedIn({ site }: { site?: string | undefined } = {}): Promise<Stele> {
    const { stele, source } = await this.connect({ site });
    if (source === 'none') throw new NotSignedInError(`You are not signed in to ${stele.instance}.`);
    return stele;
  }

  createClient(instance: string, credential?: Credential): Stele {
    this.#used = instance;
    assertProxyIsSupported(instance, this.environment);
    if (instance.startsWith('https:')) this.#trustCertificates();
    return new Stele({
      instance,
      credential,
      client: formatClientName(this.environment),
      signal: this.signal,
      onResponse: ({ headers }) => {
        const version = headers.get('stele-cli-version');
        if (version) this.#newerCommand = { version, instance };
      },
      onRetry: ({ message }, { afterMs, attempt, attempts }) => {
        const next = `Trying again in ${formatDuration(afterMs)} (attempt ${attempt} of ${attempts}).`;
        this.output.note(this.output.paint('dim', `${message} ${next}`));
      },
    });
  }

  /** Removes an edit token that no longer works. The command does not fail if the credentials cannot be written. */
  async #forgetEditToken(instance: string, slug: string): Promise<void> {
    await this.credentialsFile.forgetEditToken(instance, slug).catch(() => undefined);
  }

  /** Reading the system's certificates takes longer than many commands, so they are read only for https. */
  #trustCertificates(): void {
    if (this.#areCertificatesTrusted) return;
    trustCertificates(this.options.ca);
    this.#areCertificatesTrusted = true;
  }

  /**
   * Whether somebody has claimed a site elsewhere, for example through an emailed link. The edit token is then invalid,
   * and is removed from the stored credentials.
   */
  async #isClaimed(stele: Stele, slug: string): Promise<boolean> {
    try {
      const { claimed } = await read(stele.api.GET('/v1/sites/{slug}', { params: { path: { slug } } }));
      if (claimed) await this.#forgetEditToken(stele.instance, slug);
      return claimed;
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      if (error.code === 'edit_token_invalid') await this.#forgetEditToken(stele.instance, slug);
      return error.code === 'edit_token_invalid' || error.code === 'site_not_found';
    }
  }
}
