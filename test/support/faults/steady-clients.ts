import { once } from 'node:events';
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { MailServer } from '../people/mail-server.js';
import { EventStreamClient } from '../service/event-stream-client.js';
import type { GitHost } from '../sites/git-host.js';

type Asked = {
  readonly method?: string;
  readonly path: string;
  /** Slug of the site whose host gets the request. Without it, the request goes to the service's own host. */
  readonly slug?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
};

type Answered = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the type of its response
  readonly body: any;
};

type OwnSite = { readonly slug: string; readonly editToken: string };
type Shown = { readonly slug: string; readonly text: string; readonly cookie?: string };

const KINDS = [
  'redeploy with a key',
  'redeploy',
  'deploy',
  'visit',
  'job',
  'look at a job',
  'job over',
  'who am I',
  'my sites',
  'guest',
  'mail',
] as const;

/** Pause after each response. Without a pause, the clients would use two cores and disasters would last longer. */
const REST_MS = 250;
/** Pause between two attempts. It is shorter than `retry-after` asks for, so that a test makes more attempts. */
const AGAIN_MS = 200;
/**
 * Maximum number of attempts while another request with the same idempotency key is in progress. After an outage, a key
 * can stay reserved until its lease of a minute expires.
 */
const MOST_IN_PROGRESS = 400;
/** Time within which the service must respond, whatever fails (decision 0044). */
const UNANSWERED_MS = 30_000;
/**
 * Maximum number of consecutive stale responses after an outage. A process that was cut off may serve stale pages for a
 * second (docs/interface/publishing.md, "Atomic deploys"). A read waits for the read models for up to two seconds, and
 * then returns what they contain (docs/interface/conventions.md, "Read your writes"). Responses with `retry-after` do
 * not count.
 */
const MOST_BEHIND = 150;
/** Errors of connections to a killed process, or to a process that has not started yet. */
const DEAD = new Set<unknown>(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);
/** Number of redeploys before a client continues with a new site. A site can be redeployed at most 60 times an hour. */
const TURNS = 30;

/**
 * Clients that keep sending requests, whatever happens to the service. Each request has its own connection and
 * address. The clients accept a success, or a 503 that says when to retry, and record everything else in `wrong`.
 */
export class SteadyClients {
  readonly wrong: string[] = [];
  readonly answers = new Map<string, number>();
  readonly #shown: Shown[] = [];
  #isOver = false;
  #isDead = false;
  #isCutOff = false;
  #deaths = 0;
  #addresses = 0;
  #keys = 1_000;
  #going: Promise<unknown> = Promise.resolve();
  #jobs = 0;
  readonly #waiting = new Set<Promise<Answered>>();

  constructor(
    private readonly port: number,
    private readonly from: { readonly git: GitHost; readonly mails: MailServer },
  ) {}

  async begin(): Promise<void> {
    const person = await this.#signIn('ann@example.org');
    const guest = await this.#guest(person);
    this.from.git.commit('steady', { 'index.html': 'from git' });
    const clients = [
      ...[true, false].map((isKeyed) => this.#redeploys(isKeyed)),
      this.#deploys(true),
      this.#deploys(false),
      ...[0, 1].map(() => this.#deploysRepositories()),
      this.#looksAround(person, guest),
      this.#asksForMail(),
    ];
    this.#going = Promise.all(clients);
    this.#going.catch((error) => this.wrong.push(String(error)));
  }

  /** Resolves when each kind of request has succeeded `many` more times, or when anything is wrong. */
  async goOn(many = 3): Promise<void> {
    const before = this.#successes();
    while (this.wrong.length === 0) {
      const now = this.#successes();
      if (KINDS.every((what) => (now.get(what) ?? 0) - (before.get(what) ?? 0) >= many)) return;
      await delay(50);
    }
  }

  /**
   * Waits until every waiting client has received two more responses, so that the second request was sent after this
   * call.
   */
  async answered(): Promise<void> {
    for (let round = 0; round < 2; round++) {
      await delay(1_000);
      await Promise.allSettled(this.#waiting);
    }
  }

  /** Accepts refused and broken connections while `meanwhile` kills and restarts the service. */
  async whileDead(meanwhile: () => Promise<unknown>): Promise<void> {
    this.#deaths++;
    this.#isDead = true;
    await meanwhile();
    this.#isDead = false;
    // Counts the restart as well, because a request sent while the service was down may fail only now.
    this.#deaths++;
  }

  /** Accepts stale responses while `meanwhile` prevents processes from reading the log (decision 0044). */
  async whileCutOff<Result>(meanwhile: () => Promise<Result>): Promise<Result> {
    this.#isCutOff = true;
    try {
      return await meanwhile();
    } finally {
      this.#isCutOff = false;
    }
  }

  /** Reports whether the service is down, or was killed since `deaths` kills were counted. */
  #wasDeadSince = (deaths: number) => this.#isDead || deaths < this.#deaths;

  #successes(): ReadonlyMap<string, number> {
    const successes = new Map<string, number>();
    for (const [told, count] of this.answers) {
      const [, what = ''] = /^(.*): [23]\d\d$/.exec(told) ?? [];
      successes.set(what, (successes.get(what) ?? 0) + count);
    }
    return successes;
  }

  /** Stops all clients, and checks that confirmed changes are visible. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#going.catch(() => undefined);
    for (const { slug, text: html, cookie } of this.#shown) {
      const page = await this.ask('last visit', { path: '/', slug, ...(cookie && { headers: { cookie } }) });
      if (page.status !== 200 || page.text !== html) this.wrong.push(`${slug} shows ${page.status} ${page.text}`);
    }
  }

  /**
   * Returns the response, whatever its status. If no response arrives in time, rejects with an error that names the
   * request.
   */
  async ask(
    what: string,
    { method = 'GET', path, slug, headers = {}, body }: Asked,
    localAddress = this.#address(),
  ): Promise<Answered> {
    const type = typeof body === 'string' ? 'text/html' : 'application/json';
    const signal = AbortSignal.timeout(UNANSWERED_MS);
    const asking = request({
      signal,
      host: '127.0.0.1',
      port: this.port,
      localAddress,
      agent: false,
      method,
      path,
      headers: {
        host: `${slug === undefined ? '' : `${slug}.`}localhost:${this.port}`,
        ...(body !== undefined && { 'content-type': type }),
        ...headers,
      },
    });
    asking.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
    const [answer, answered] = await whole(asking).catch((error: Error) => {
      if (!signal.aborted) throw error;
      throw new Error(`${method} ${slug ?? ''}${path} was not answered within ${UNANSWERED_MS / 1_000} s`);
    });
    const isJson = /json/.test(answer.headers['content-type'] ?? '');
    const status = answer.statusCode ?? 0;
    const told = `${what}: ${status}`;
    this.answers.set(told, (this.answers.get(told) ?? 0) + 1);
    return { status, headers: answer.headers, text: answered, body: isJson ? JSON.parse(answered) : {} };
  }

  /** Retries until a request succeeds or returns one of the allowed statuses. */
  async surely(what: string, asked: Asked, allowed: readonly number[] = []): Promise<Answered> {
    let inProgress = 0;
    const address = this.#address();
    for (;;) {
      const deaths = this.#deaths;
      const asking = this.ask(what, asked, address);
      this.#waiting.add(asking);
      const answer = await asking.catch((error: NodeJS.ErrnoException) => error);
      this.#waiting.delete(asking);
      // `instanceof Error` does not work here, because Node's errors come from another realm than the test's.
      if (!('status' in answer)) {
        const isTold = DEAD.has(answer.code) && this.#wasDeadSince(deaths);
        if (!isTold) this.wrong.push(`${what}: ${answer.message}`);
      } else {
        if (answer.status < 400 || allowed.includes(answer.status)) return answer;
        const isHeld = answer.body.code === 'idempotency_in_progress' && ++inProgress < MOST_IN_PROGRESS;
        const isTold = answer.status === 503 && Number(answer.headers['retry-after']) > 0;
        if (!isHeld && !isTold) this.wrong.push(`${what}: ${answer.status} ${answer.text}`);
      }
      if (this.wrong.length > 0) throw new Error(`${what}: given up`);
      await delay(AGAIN_MS);
    }
  }

  /** Retries until the response is as expected, because at first it may be stale, or a 404 for a new site. */
  async #soon(what: string, asked: Asked, isDue: (answer: Answered) => boolean): Promise<Answered> {
    let behind = 0;
    for (;;) {
      const answer = await this.surely(what, asked, [404]);
      if (isDue(answer)) return answer;
      behind = this.#isCutOff ? 0 : behind + 1;
      if (behind === MOST_BEHIND) {
        this.wrong.push(`${what}, ${asked.slug ?? ''}${asked.path}: still ${answer.status} ${answer.text}`);
        return answer;
      }
      await delay(AGAIN_MS);
    }
  }

  #shows = (slug: string, html: string) => this.#soon('visit', { path: '/', slug }, ({ text }) => text === html);

  /** Returns a new address each time, because rate limits apply per address. */
  #address = () => `127.1.${(++this.#addresses >> 8) & 255}.${this.#addresses & 255}`;

  async #signIn(email: string) {
    await this.surely('once', { method: 'POST', path: '/v1/auth/start', body: { email } });
    const { body } = await this.surely('once', { path: this.from.mails.newest(email).path });
    return { authorization: `Bearer ${body.token}` };
  }

  /** Creates a password-protected site, and the cookie of a visitor who has entered the password. */
  async #guest(person: Readonly<Record<string, string>>): Promise<Shown & { readonly cookie: string }> {
    const deploying = { method: 'POST', path: '/v1/deploy', headers: person, body: 'for guests' };
    const { slug } = (await this.surely('once', deploying)).body;
    const access = { visibility: 'password', password: 'open sesame please' };
    await this.surely('once', { method: 'POST', path: `/v1/sites/${slug}/access`, headers: person, body: access });
    const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
    const body = `${new URLSearchParams({ password: access.password })}`;
    const entered = await this.surely('once', { method: 'POST', path: '/.stele/', slug, headers: form, body });
    const guest = {
      slug,
      text: 'for guests',
      cookie: String(entered.headers['set-cookie'] ?? '').split(';', 1)[0] ?? '',
    };
    this.#shown.push(guest);
    return guest;
  }

  async #redeploys(isKeyed: boolean) {
    const what = isKeyed ? 'redeploy with a key' : 'redeploy';
    while (!this.#isOver) {
      const site: OwnSite = (await this.surely('deploy', this.#deployOf('0', isKeyed))).body;
      const watching = this.#watch(site);
      let turn = 0;
      while (turn < TURNS && !this.#isOver) {
        turn++;
        await this.surely(what, {
          method: 'PATCH',
          path: `/v1/deploy?slug=${site.slug}`,
          headers: { 'x-svc-edit-token': site.editToken, ...(isKeyed && { 'idempotency-key': `turn-${turn}-of-it` }) },
          body: `${turn}`,
        });
        await this.#shows(site.slug, `${turn}`);
        await delay(REST_MS);
      }
      this.#shown.push({ slug: site.slug, text: `${turn}` });
      const due = turn + 2;
      const { body } = await this.#soon(
        'history',
        { path: `/v1/sites/${site.slug}/history?limit=1`, headers: { 'x-svc-edit-token': site.editToken } },
        ({ body }) => body.total >= due,
      );
      // Without an idempotency key, a retry may have published again.
      if (isKeyed ? body.total !== due : body.total < due)
        this.wrong.push(`${site.slug} has ${body.total} entries after ${turn} redeploys ${isKeyed ? 'with keys' : ''}`);
      const ids = await watching(body.total);
      if (ids.length !== body.total || ids.some((id, index) => id !== index + 1))
        this.wrong.push(`The stream of ${site.slug} told of ${ids}, and there are ${body.total}`);
    }
  }

  /** Follows a site's events. Returns a function that resolves to the received IDs once there are `total`. */
  #watch({ slug, editToken }: OwnSite): (total: number) => Promise<readonly number[]> {
    const ids: number[] = [];
    let total = Number.POSITIVE_INFINITY;
    let current: EventStreamClient | undefined;
    const heard = (async () => {
      while (ids.length < total && this.wrong.length === 0) {
        const deaths = this.#deaths;
        current = new EventStreamClient(`http://127.0.0.1:${this.port}/v1/sites/${slug}/events`, {
          host: `localhost:${this.port}`,
          'x-svc-edit-token': editToken,
          ...(ids.length > 0 && { 'last-event-id': String(ids.at(-1)) }),
        });
        const connection = current;
        let wasCutHere = false;
        const counting = setInterval(() => {
          if (this.wrong.length === 0 && ids.length + connection.events.length < total) return;
          // All events have arrived, perhaps over an earlier connection. Cuts this connection even if its response has
          // not begun.
          wasCutHere = true;
          connection.cut();
        }, 100);
        await connection.closed;
        clearInterval(counting);
        ids.push(...connection.events.flatMap(({ id }) => (id === null ? [] : [id])));
        const { status, headers } = connection;
        const isTold = (status === 0 || status === 200) && (wasCutHere || this.#wasDeadSince(deaths));
        if (isTold) {
          if (status === 0) await delay(AGAIN_MS);
          continue;
        }
        if (status === 503 ? !headers['retry-after'] : status !== 200)
          this.wrong.push(`The stream of ${slug} was answered ${status} ${connection.body}`);
        else if (status === 200 && ids.length < total && this.wrong.length === 0)
          this.wrong.push(`The stream of ${slug} was cut`);
        if (status !== 200) await delay(AGAIN_MS);
      }
      return ids;
    })();
    return (known) => {
      total = known;
      return heard;
    };
  }

  async #deploys(isKeyed: boolean) {
    for (let n = 0; !this.#isOver; n++) {
      const html = `new ${n}`;
      const { body } = await this.surely('deploy', this.#deployOf(html, isKeyed));
      await this.#shows(body.slug, html);
      this.#shown.push({ slug: body.slug, text: html });
      await delay(REST_MS);
    }
  }

  #deployOf = (body: string, isKeyed: boolean): Asked => ({
    method: 'POST',
    path: '/v1/deploy',
    headers: isKeyed ? { 'idempotency-key': `deploy-of-a-steady-client-${++this.#keys}` } : {},
    body,
  });

  async #deploysRepositories() {
    while (!this.#isOver) {
      const body = { url: this.from.git.url('steady') };
      const started = await this.surely('job', { method: 'POST', path: '/v1/repo/deploy', body });
      const { jobId, slug } = started.body;
      let job = started;
      while (!/succeeded|failed|stopped/.test(job.body.status) && this.wrong.length === 0) {
        await delay(AGAIN_MS);
        job = await this.#soon('look at a job', { path: `/v1/jobs/${jobId}` }, ({ status }) => status === 200);
      }
      if (job.body.status !== 'succeeded') this.wrong.push(`A job ended so: ${job.text}`);
      this.answers.set('job over: 200', ++this.#jobs);
      this.#shown.push({ slug, text: 'from git' });
      await delay(REST_MS);
    }
  }

  async #looksAround(person: Readonly<Record<string, string>>, guest: Shown & { readonly cookie: string }) {
    while (!this.#isOver) {
      await this.surely('who am I', { path: '/v1/me', headers: person });
      await this.surely('my sites', { path: '/v1/me/sites', headers: person });
      await this.surely('guest', { path: '/', slug: guest.slug, headers: { cookie: guest.cookie } });
      await delay(REST_MS);
    }
  }

  async #asksForMail() {
    for (let n = 0; !this.#isOver; n++) {
      await this.surely('mail', { method: 'POST', path: '/v1/auth/start', body: { email: `n${n}@example.org` } });
      await delay(200);
    }
  }
}

async function whole(asking: ClientRequest): Promise<readonly [answer: IncomingMessage, body: string]> {
  // `once` rejects on an error before the response headers. This listener ignores later errors, which would otherwise
  // be uncaught.
  asking.on('error', () => undefined);
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  return [answer, await text(answer)];
}
