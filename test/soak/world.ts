import { Agent } from 'node:http';
import type { GitHost } from '../support/sites/git-host.js';
import { type Question, ServiceAsked } from '../support/upgrades/service-asked.js';

export type Bearer = Readonly<Record<string, string>>;
export type LivingSite = { readonly slug: string; readonly owner: Bearer; readonly deployId: string };

const HTML = { 'content-type': 'text/html' };

export class World {
  readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly service: ServiceAsked;
  readonly sites: LivingSite[] = [];
  owner: Bearer = {};
  connectorToken: Bearer = {};

  constructor(
    readonly port: number,
    readonly git: GitHost,
  ) {
    this.service = new ServiceAsked(port, port, this.agent);
  }

  /**
   * Sends a request and returns the response. Throws if the status is not one of `wanted`, and the run then reports a
   * fault.
   */
  async ask(question: Question, ...wanted: readonly number[]) {
    const reply = await this.service.ask(question);
    if (wanted.length > 0 ? wanted.includes(reply.status) : reply.status < 400) return reply;
    throw new Error(
      `${question.method ?? 'GET'} ${question.path.split('?')[0]}: ${reply.status} ${reply.text.slice(0, 200)}`,
    );
  }

  any = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item;
  site = () => this.any(this.sites);
  as = (owner: Bearer, method: string, path: string, body?: object) =>
    this.ask({ method, path, headers: owner, ...(body && { body }) });

  page = (text: string) => `<!doctype html><title>Soak</title><h1>${text}</h1><p>${'words '.repeat(200)}</p>`;
  deploy = (query: string, owner: Bearer, text: string, method = 'POST') =>
    this.service.get<{ slug: string; deployId: string; editToken?: string }>({
      method,
      path: `/v1/deploy${query}`,
      headers: { ...owner, ...HTML },
      body: this.page(text),
    });

  async signIn(email: string): Promise<Bearer> {
    const json = { accept: 'application/json' };
    await this.service.get({ path: '/v1/auth/start', headers: json, body: { email } });
    const path = await this.service.mailTo(email);
    const { token } = await this.service.get<{ token: string }>({ path, headers: json });
    return { authorization: `Bearer ${token}` };
  }

  async begin(): Promise<void> {
    this.git.commit('plain', { 'index.html': '<h1>Plain</h1>', 'style.css': 'h1 { color: teal }' });
    this.git.commit('built', {
      'package.json': JSON.stringify({ name: 'built', version: '1.0.0', scripts: { build: 'node build.js' } }),
      'build.js': `const fs = require('fs'); fs.mkdirSync('dist'); fs.writeFileSync('dist/index.html', '<h1>Built</h1>')`,
    });
    const owners = await Promise.all([1, 2, 3].map((n) => this.signIn(`owner${n}@example.org`)));
    for (let n = 0; n < 24; n++) {
      const owner = owners[n % 3] ?? {};
      const { slug, deployId } = await this.deploy(`?slug=soak-${n}`, owner, `Site ${n}`);
      await this.as(owner, 'POST', `/v1/sites/${slug}/capabilities`, { name: 'analytics', enabled: true });
      this.sites.push({ slug, owner, deployId });
    }
    this.owner = owners[0] ?? {};
    await this.deploy('?slug=soak-guarded', this.owner, 'Guarded');
    const access = { visibility: 'password', password: 'open sesame' };
    await this.as(this.owner, 'POST', '/v1/sites/soak-guarded/access', access);
    await this.deploy('?slug=soak-wired', this.owner, 'Wired');
    await this.as(this.owner, 'POST', '/v1/sites/soak-wired/capabilities', { name: 'connector', enabled: true });
    const tokens = { path: '/v1/sites/soak-wired/connector/tokens', headers: this.owner, body: { name: 'agent' } };
    const { token } = await this.service.get<{ token: string }>(tokens);
    this.connectorToken = { authorization: `Bearer ${token}` };
    // Calls are refused with `no_agent` until an agent has polled.
    await this.ask({ path: '/v1/connector/poll?wait=0', headers: this.connectorToken });
  }
}
