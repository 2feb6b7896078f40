import { Pool } from 'pg';
import { databaseUrl } from '../database/database-url.js';
import { freshDatabase } from '../database/test-database.js';
import { newestMail, signIn } from '../people/sign-in.js';
import { strangerToken } from '../people/stranger-token.js';
import { operator } from '../service/operator-command.js';
import { type Stele, startStele, temporaryFolder } from '../service/stele.js';
import { GitHost } from '../sites/git-host.js';
import { jobOver } from '../sites/jobs.js';
import { type Headers, type Known, requestFor, type Sent } from './act-requests.js';
import type { Answer } from './explain.js';
import type { RecordedSite } from './recorded.js';
import type { AskedAct, By, Person } from './site-model.js';

const OPERATOR = 'operator-of-these-histories';
const people = ['ann', 'ben', 'cat'] as const;

export type Place = 0 | 1;
/** If `readsBack` is true, the caller reads the site after a write. This works only while no process is killed. */
export type Asking = { readonly key: string; readonly readsBack: boolean };

/** Two processes of one installation, and their callers. A killed process is restarted. */
export class TwoProcesses {
  readonly #bearers = new Map<By, Headers>([
    ['none', {}],
    ['operator', { authorization: `Bearer ${OPERATOR}` }],
  ]);
  readonly #tokens = new Map<string, string>();
  /** Secrets of the access tokens that scripts use, by token ID. */
  readonly #secrets = new Map<string, string>();
  readonly people = new Map<string, Person>();

  private constructor(
    readonly pool: Pool,
    private readonly stele: [Stele, Stele],
    private readonly env: Record<string, string>,
    private readonly folder: string,
    private readonly repositories: GitHost,
    private readonly close: () => Promise<void>,
  ) {}

  static async start(): Promise<TwoProcesses> {
    const temporary = await temporaryFolder('histories');
    const database = await freshDatabase();
    const repositories = await GitHost.open();
    const env = {
      DATABASE_URL: databaseUrl(database.config),
      STELE_RATE_LIMITS: 'off',
      STELE_ADMIN_TOKEN: OPERATOR,
      STELE_REPO_HOSTS: repositories.listed,
    };
    const start = () => startStele({ folder: temporary.folder, env });
    const pool = new Pool({ ...database.config, max: 2 });
    const stele: [Stele, Stele] = [await start(), await start()];
    const made = new TwoProcesses(pool, stele, env, temporary.folder, repositories, async () => {
      await repositories.close();
      await pool.end();
      await database.drop();
      await temporary.remove();
    });
    for (const name of people) {
      const { bearer, user } = await signIn(made.at(0), `${name}@example.org`);
      made.#bearers.set(name, bearer);
      made.people.set(user.id, name);
    }
    return made;
  }

  at(place: Place): Stele {
    return this.stele[place];
  }

  async stop(): Promise<void> {
    await Promise.all(this.stele.map((each) => each.stop()));
    await this.close();
  }

  async kill(place: Place): Promise<void> {
    await this.at(place).stop('SIGKILL');
    await this.restart(place);
  }

  async restart(place: Place): Promise<void> {
    await this.at(place).stop();
    this.stele[place] = await startStele({ folder: this.folder, env: this.env });
  }

  async projections(...args: readonly string[]): Promise<void> {
    const { code, out, err } = await operator('projections', args, { ...this.env, STELE_DATA: this.folder }).ran;
    if (code !== 0) throw new Error(`projections ${args.join(' ')}: ${out}${err}`);
  }

  /** Sends the request of an action. Returns null if the connection broke or the service was unavailable. */
  async act(place: Place, act: AskedAct, known: Known, { key, readsBack }: Asking): Promise<Answer | null> {
    const bearer = this.#headersOf(act.by, known);
    if (act.kind === 'join') return this.#join(place, act, bearer);
    if (act.kind === 'repository') return this.#deployRepository(place, act, bearer, key);
    const sent = requestFor(act, known);
    const ifMatch = act.ifRevision === null ? {} : { 'if-match': `"${act.ifRevision}"` };
    const answer = await this.ask(place, {
      ...sent,
      headers: { ...bearer, ...sent.headers, ...ifMatch, 'idempotency-key': key },
    });
    if (!answer) return null;
    const { editToken } = answer.body as { editToken?: string };
    const { id, token } = answer.body as { id?: string; token?: string };
    if (act.kind === 'makeToken' && id && token) this.#secrets.set(id, token);
    if (act.kind === 'post' && editToken) this.#tokens.set(act.mark, editToken);
    const done = told(answer);
    const position = answer.headers.get('stele-position');
    if (readsBack && done?.revision && position)
      await this.#expectReadBack(place, act, { ...bearer, 'stele-position': position }, done.revision);
    return done;
  }

  async ask(place: Place, { method, path, headers = {}, body }: Sent) {
    try {
      const isText = typeof body === 'string';
      const response: Response = await fetch(`${this.at(place).base}${path}`, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': isText ? 'text/html' : 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
        redirect: 'manual',
      });
      const text = await response.text();
      const isJson = /json/.test(response.headers.get('content-type') ?? '');
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
    } catch {
      return null;
    }
  }

  /** Returns the credentials of one member of a site, or the site's edit token if there are no members. */
  readerOf(members: Readonly<Partial<Record<Person, unknown>>>, key: string): Headers {
    const [person] = Object.keys(members);
    if (person) return this.#headersOf(person as Person);
    return this.#headersOf({ tokenOf: key });
  }

  #headersOf(by: By, known?: Known): Headers {
    if (typeof by === 'string') return this.#bearers.get(by) ?? {};
    if ('scriptOf' in by) {
      const id = known?.(by.scriptOf)?.tokenIds[by.n - 1] ?? '';
      return { authorization: `Bearer ${this.#secrets.get(id)}` };
    }
    return { 'x-svc-edit-token': this.#tokens.get(by.tokenOf) ?? strangerToken };
  }

  /** Returns the numbers of a site's tokens whose secrets the scripts know. */
  scriptsOf = ({ tokenIds }: RecordedSite): readonly number[] =>
    tokenIds.flatMap((id, at) => (this.#secrets.has(id) ? [at + 1] : []));

  holdsTokenOf = (key: string) => this.#tokens.has(key);

  /**
   * Reads from the other process immediately after a write. The response must contain this change or a later one, unless
   * its position says that its read models lag behind.
   */
  async #expectReadBack(place: Place, act: AskedAct, headers: Headers, revision: number) {
    const path = `/v1/sites/${act.kind === 'rename' ? act.newSlug : act.slug}`;
    const read = await this.ask(place === 0 ? 1 : 0, { method: 'GET', path, headers });
    const isStale = BigInt(read?.headers.get('stele-position') ?? 0) < BigInt(headers['stele-position'] ?? 0);
    if (read?.status === 200 && read.body.revision < revision && !isStale)
      throw new Error(`${act.kind} was answered with revision ${revision}, and then ${read.body.revision} was read`);
  }

  /** Deploys from a repository, and waits until the job has ended. The result is `200` if the job succeeded. */
  async #deployRepository(
    place: Place,
    { slug, mark }: AskedAct & { readonly kind: 'repository' },
    bearer: Headers,
    key: string,
  ): Promise<Answer | null> {
    this.repositories.commit(mark, { 'index.html': mark });
    const body = { url: this.repositories.url(mark), slug };
    const headers = { ...bearer, 'idempotency-key': key };
    const queued = await this.ask(place, { method: 'POST', path: '/v1/repo/deploy', headers, body });
    if (queued?.status !== 200) return queued && told(queued);
    const { jobId, editToken } = queued.body;
    if (editToken) this.#tokens.set(mark, editToken);
    const reader = editToken ? { 'x-svc-edit-token': editToken } : bearer;
    const { status, error } = await jobOver(this.at(place), jobId, reader);
    return { told: status === 'succeeded' ? '200' : `job ${status} ${error?.code}`, revision: null };
  }

  async #join(place: Place, { slug, person, role }: AskedAct & { readonly kind: 'join' }, bearer: Headers) {
    const email = `${person}@example.org`;
    const path = `/v1/sites/${slug}/invites`;
    const invited = await this.ask(place, { method: 'POST', path, headers: bearer, body: { email, role } });
    if (invited?.status !== 201) return invited && told(invited);
    const mail = await newestMail(this.at(place), email);
    const accepted = await this.ask(place, { method: 'GET', path: mail.path, headers: { accept: 'application/json' } });
    return accepted && told(accepted);
  }
}

/** After a 503, the action may or may not have happened, so a 503 is treated like a missing response. */
function told({
  status,
  headers,
  body,
}: {
  status: number;
  headers: Response['headers'];
  body: { code?: string };
}): Answer | null {
  if (status === 503 || body.code === 'idempotency_in_progress') return null;
  const named = /^"(\d+)"$/.exec(headers.get('etag') ?? '')?.[1] ?? headers.get('stele-revision');
  return {
    told: status < 400 ? String(status) : `${status} ${body.code}`,
    revision: named === null || named === undefined ? null : Number(named),
  };
}
