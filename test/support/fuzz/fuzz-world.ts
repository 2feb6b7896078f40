import { randomBytes } from 'node:crypto';
import { AgentProgram, browserOfPerson } from '../people/agent-program.js';
import { newestMail, signIn } from '../people/sign-in.js';
import type { Stele } from '../service/stele.js';

export const OPERATOR = 'operator-of-this-fuzz';

export const actors = [
  'none',
  'stranger',
  'viewer',
  'editor',
  'owner',
  'token',
  'agent',
  'script',
  'connector',
  'operator',
] as const;
export type Actor = (typeof actors)[number];
export type Headers = Readonly<Record<string, string>>;

/** A string that only the actors in `known` may read. */
export type Canary = { readonly text: string; readonly name: string; readonly known: readonly Actor[] };

const people = ['stranger', 'viewer', 'editor', 'owner'] as const;
type Name = (typeof people)[number];

/** The callers, the objects that they can request, and the strings that some of them must not see. */
export class FuzzWorld {
  readonly headers = new Map<Actor, Headers>([
    ['none', {}],
    ['operator', { authorization: `Bearer ${OPERATOR}` }],
  ]);
  /** IDs of existing objects, by parameter name. */
  readonly known = new Map<string, string[]>();
  readonly #canaries = new Map<string, Canary>();
  readonly #run = randomBytes(4).toString('hex');

  private constructor(private readonly stele: Stele) {}

  static async of(stele: Stele): Promise<FuzzWorld> {
    const world = new FuzzWorld(stele);
    await world.mend();
    await world.#hide();
    return world;
  }

  /** Returns the secrets in a response that this actor must not see. */
  leaksIn(text: string, actor: Actor): string[] {
    return [...this.#canaries.values()].flatMap(({ text: canary, name, known }) =>
      !known.includes(actor) && text.includes(canary) ? [name] : [],
    );
  }

  async mend(): Promise<void> {
    for (const name of people) if (!(await this.#isSignedIn(name))) await this.#signIn(name);
    for (const [slug, visibility] of [
      ['fuzzed-open', 'public'],
      ['fuzzed-closed', 'members'],
    ] as const)
      if (!(await this.#isThere(slug))) await this.#publish(slug, visibility);
    if (!(await this.#isToken())) await this.#publishNobodys();
    await this.#mendPrograms();
  }

  async #isSignedIn(name: Actor) {
    const { status } = await this.stele.raw.get('/v1/me').set(this.#of(name));
    return status === 200;
  }

  async #signIn(name: Name) {
    const email = `${name}-${this.#run}@fuzz.example`;
    const { token } = await signIn(this.stele, email);
    this.headers.set(name, { authorization: `Bearer ${token}` });
    this.#hidden(`the session of the ${name}`, token, []);
    // Callers who can list the members may also see the members' email addresses.
    const seen: readonly Actor[] = ['owner', 'agent', 'operator', name];
    this.#hidden(`the address of the ${name}`, email, name === 'editor' ? [...seen, 'script'] : seen);
  }

  async #isThere(slug: string) {
    const { status } = await this.stele.raw.get(`/v1/sites/${slug}`).set(this.#of('editor'));
    const { status: ofOwner, body } = await this.stele.raw.get(`/v1/sites/${slug}/members`).set(this.#of('owner'));
    return status === 200 && ofOwner === 200 && body.total >= 3;
  }

  /** Restores a site that was taken down. If its name is no longer available, creates another site. */
  async #publish(name: string, visibility: string) {
    const owner = this.#of('owner');
    await this.stele.raw.post(`/v1/admin/sites/${name}/restore`).set(this.#of('operator'));
    const there = await this.stele.raw
      .post('/v1/deploy')
      .query({ slug: name })
      .set(owner)
      .send({ files: [{ path: 'index.html', content: '<h1>Hello</h1>' }] });
    const made =
      there.status === 200
        ? there
        : await this.stele.raw.post('/v1/deploy').set(owner).type('html').send('<h1>Hello</h1>').expect(200);
    const { slug, deployId } = made.body;
    for (const [member, role] of [
      ['viewer', 'viewer'],
      ['editor', 'editor'],
    ] as const) {
      const email = `${member}-${this.#run}@fuzz.example`;
      const { status } = await this.stele.raw.post(`/v1/sites/${slug}/invites`).set(owner).send({ email, role });
      if (status !== 201) continue;
      const { body } = await this.stele.raw.get((await newestMail(this.stele, email)).path);
      this.#know('id', body.memberId);
    }
    await this.stele.raw.post(`/v1/sites/${slug}/access`).set(owner).send({ visibility });
    await this.stele.raw.post(`/v1/sites/${slug}/capabilities`).set(owner).send({ name: 'connector', enabled: true });
    const { body: secret } = await this.stele.raw
      .post(`/v1/sites/${slug}/connector/tokens`)
      .set(owner)
      .send({ name: 'agent' });
    if (secret.token) this.headers.set('connector', { authorization: `Bearer ${secret.token}` });
    this.#know('slug', slug);
    this.#know('deployId', deployId);
    this.#know('id', secret.id);
  }

  async #isToken() {
    const slug = this.known.get('slug')?.find((each) => this.#nobodys === each);
    if (slug === undefined) return false;
    return (await this.stele.raw.get(`/v1/sites/${slug}/history`).set(this.#of('token'))).status === 200;
  }
  #nobodys = '';

  async #publishNobodys() {
    const { body } = await this.stele.raw.post('/v1/deploy').type('html').send('<h1>Nobody’s</h1>').expect(200);
    this.#nobodys = body.slug;
    this.headers.set('token', { 'x-svc-edit-token': body.editToken });
    this.#hidden('an edit token', body.editToken, []);
    this.#know('slug', body.slug);
    this.#know('deployId', body.deployId);
  }

  async #mendPrograms() {
    if (!(await this.#isSignedIn('script'))) {
      const { body } = await this.stele.raw
        .post('/v1/me/tokens')
        .set(this.#of('editor'))
        .send({ name: 'script', role: 'editor' })
        .expect(201);
      this.headers.set('script', { authorization: `Bearer ${body.token}` });
      this.#hidden('the token of a script', body.token, []);
      this.#know('id', body.id);
    }
    if (this.headers.has('agent')) return;
    const { browser } = await browserOfPerson(this.stele, `owner-${this.#run}@fuzz.example`);
    const { access_token } = await (await AgentProgram.registered(this.stele)).letIn(browser);
    this.headers.set('agent', { authorization: `Bearer ${access_token}` });
    this.#hidden('the token of an agent', access_token, []);
  }

  /** Creates a user who sends no requests. Other users try to access this user's site by its slug and IDs. */
  async #hide() {
    const mark = (what: string) => `canary-${what}-${this.#run}`;
    const email = `${mark('address')}@hidden.example`;
    const { bearer, token } = await signIn(this.stele, email);
    const { raw } = this.stele;
    await raw
      .patch('/v1/me')
      .set(bearer)
      .send({ name: mark('name') })
      .expect(200);
    const { body } = await raw
      .post('/v1/deploy')
      .query({ slug: 'fuzzed-hidden' })
      .set(bearer)
      .send({ files: [{ path: `${mark('path')}.html`, content: mark('content') }] })
      .expect(200);
    const site = `/v1/sites/${body.slug}`;
    await raw.post(`${site}/access`).set(bearer).send({ visibility: 'members' }).expect(200);
    await raw
      .patch(site)
      .set(bearer)
      .send({ title: mark('title'), description: mark('description') })
      .expect(200);
    await raw
      .put(`${site}/secrets/HIDDEN`)
      .set(bearer)
      .send({ value: mark('secret') })
      .expect(200);
    const friend = `${mark('friend')}@hidden.example`;
    const { body: invite } = await raw
      .post(`${site}/invites`)
      .set(bearer)
      .send({ email: friend, role: 'viewer' })
      .expect(201);
    const { body: made } = await raw
      .post(`${site}/tokens`)
      .set(bearer)
      .send({ name: mark('token'), role: 'viewer' })
      .expect(201);
    for (const what of ['address', 'name', 'path', 'content', 'title', 'description', 'secret', 'friend', 'token'])
      this.#hidden(`another person’s ${what}`, mark(what), []);
    this.#hidden('another person’s session', token, []);
    this.#hidden('another person’s token', made.token, []);
    this.#know('slug', body.slug);
    this.#know('deployId', body.deployId);
    for (const id of [invite.id, made.id]) this.#know('id', id);
    for (const [name, ...values] of [
      ['name', 'HIDDEN', 'API_KEY', 'landing-page'],
      ['path', 'index.html'],
      ['hostname', 'www.fuzzed-site.com'],
      ['runId', `run_${'0'.repeat(26)}`],
      ['code', 'not_found'],
    ])
      for (const value of values) this.#know(`${name}`, value);
  }

  #of(actor: Actor): Headers {
    return this.headers.get(actor) ?? {};
  }

  #know(name: string, value: unknown) {
    if (typeof value !== 'string') return;
    const known = this.known.get(name) ?? [];
    this.known.set(name, [...known, value].slice(-12));
  }

  #hidden(name: string, text: string, known: readonly Actor[]) {
    this.#canaries.set(text, { name, text, known });
  }
}
