import { signIn } from '../people/sign-in.js';
import { rawRequestsTo } from '../service/raw-request.js';
import { type Stele, startStele, temporaryFolder } from '../service/stele.js';
import { DnsServer, type NameRecords } from './dns-server.js';

type Person = Awaited<ReturnType<typeof signIn>>;

export type DomainBody = {
  readonly hostname: string;
  readonly slug: string;
  readonly status: string;
  readonly verification: { readonly type: string; readonly name: string; readonly value: string };
  readonly target: { readonly type: string; readonly name: string; readonly value: string };
  readonly warning: string | null;
  readonly until: string | null;
  readonly records: readonly { readonly type: string; readonly state: string }[];
  readonly checkedAt: string | null;
  readonly error?: string;
};

export class DomainsUnderTest {
  private constructor(
    readonly stele: Stele,
    readonly dns: DnsServer,
    readonly ann: Person,
    readonly bob: Person,
    private readonly remove: () => Promise<void>,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<DomainsUnderTest> {
    const { folder, remove } = await temporaryFolder('domains');
    const dns = await DnsServer.start();
    const stele = await startStele({ folder, env: { STELE_DNS_SERVERS: dns.address, ...env } });
    const [ann, bob] = [await signIn(stele, 'ann@example.org'), await signIn(stele, 'bob@example.org')];
    return new DomainsUnderTest(stele, dns, ann, bob, remove);
  }

  async close() {
    await this.stele.stop();
    await this.dns.close();
    await this.remove();
  }

  async site(content: string, { bearer }: Person = this.ann): Promise<string> {
    const files = [
      { path: 'index.html', content },
      { path: 'docs/index.html', content: `${content} docs` },
    ];
    return (await this.stele.api.post('/v1/deploy').set(bearer).send({ files }).expect(200)).body.slug;
  }

  add = (slug: string, body: object, { bearer }: Person = this.ann) =>
    this.stele.api.post(`/v1/sites/${slug}/domains`).set(bearer).send(body);

  check = (slug: string, hostname: string, { bearer }: Person = this.ann) =>
    this.stele.api.post(`/v1/sites/${slug}/domains/${hostname}`).set(bearer);

  list = (slug: string, { bearer }: Person = this.ann) => this.stele.api.get(`/v1/sites/${slug}/domains`).set(bearer);

  set(zone: Readonly<Record<string, NameRecords>>) {
    this.dns.zone = { ...this.dns.zone, ...zone };
  }

  /** Sets the DNS records that the service asked for when the domain was added. */
  setRecordsOf({ hostname, verification, target }: DomainBody) {
    this.set({ [verification.name]: { TXT: [verification.value] }, [hostname]: { CNAME: target.value } });
  }

  /** Adds a hostname, sets its records, and waits until it is active. */
  async active(slug: string, hostname: string, more: object = {}, person = this.ann): Promise<DomainBody> {
    const { body } = await this.add(slug, { hostname, ...more }, person).expect(201);
    this.setRecordsOf(body);
    return this.until(slug, hostname, 'active', person);
  }

  async until(slug: string, hostname: string, status: string, person = this.ann): Promise<DomainBody> {
    for (const end = Date.now() + 20_000; ; ) {
      await this.lookedForAgain();
      const { body } = await this.check(slug, hostname, person).expect(200);
      if (body.status === status) return body;
      if (Date.now() > end) throw new Error(`It is ${JSON.stringify(body)}.`);
    }
  }

  /** Returns the domain after a check that began after this call. */
  async checkNow(slug: string, hostname: string, person = this.ann): Promise<DomainBody> {
    // A check that is already in progress may have read earlier records.
    const underWay = `select 1 from domain_checks where hostname = '${hostname}' and leased_until > now()`;
    while ((await this.stele.query(underWay)).length > 0);
    const now = new Date().toISOString();
    for (const end = Date.now() + 20_000; ; ) {
      await this.lookedForAgain();
      const { body } = await this.check(slug, hostname, person).expect(200);
      if (body.checkedAt > now) return body;
      if (Date.now() > end) throw new Error(`${hostname} was not checked in time: ${JSON.stringify(body)}.`);
    }
  }

  /** Backdates the last checks, so that the next check is due immediately. */
  lookedForAgain = () =>
    this.stele.query(
      "update domain_checks set checked_at = checked_at - interval '1 minute' where leased_until is null",
    );

  visit = (hostname: string, path = '/', headers: Record<string, string> = {}) =>
    rawRequestsTo(this.stele.port, `${hostname}:${this.stele.port}`)(path, headers);

  /** Returns the status, and the text of the page or the target of the redirect. */
  async shown(hostname: string, path = '/') {
    const { status, headers, body } = await this.visit(hostname, path);
    return [status, status === 308 ? headers.location : status === 200 ? body.toString() : ''];
  }

  async history(slug: string, { bearer }: Person = this.ann): Promise<string[]> {
    const { body } = await this.stele.api.get(`/v1/sites/${slug}/history`).set(bearer).expect(200);
    return body.items.map(({ summary }: { summary: string }) => summary);
  }
}
