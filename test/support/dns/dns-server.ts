import { once } from 'node:events';
import dns2, { Packet } from 'dns2';
import { isCode } from '../../../src/kernel/faults/error-code.js';

/** How a query fails. `silent` means that there is no response. */
type Failing = 'SERVFAIL' | 'REFUSED' | 'silent';

type Text = string | Buffer;

/** Records by type. A type that is left out has no records (NODATA). */
export type NameRecords = {
  readonly A?: readonly string[] | Failing;
  readonly AAAA?: readonly string[] | Failing;
  readonly CNAME?: string | Failing;
  /** Each record is a string, or a list of the strings of which it consists. */
  readonly TXT?: readonly (Text | readonly Text[])[] | Failing;
  readonly CAA?: readonly { readonly flags?: number; readonly tag: string; readonly value: string }[] | Failing;
  /** Present if the name is the apex of a zone. */
  readonly SOA?: true;
  readonly afterMs?: number;
};

/** Records or failures by name in lower case. Other names do not exist. */
export type Zone = Readonly<Record<string, NameRecords | Failing>>;

const TYPES = { A: 1, CNAME: 5, SOA: 6, TXT: 16, AAAA: 28, CAA: 257 } as const;
type Type = keyof typeof TYPES;

const isFailing = (answer: unknown): answer is Failing =>
  typeof answer === 'string' && /^(SERVFAIL|REFUSED|silent)$/.test(answer);

/** A DNS resolver on loopback, over UDP and TCP. It follows CNAME records within `zone`, which tests can replace. */
export class DnsServer {
  zone: Zone = {};
  /** Queries that the server received, such as `TXT _stele.www.example.com`. */
  readonly asked: string[] = [];
  readonly #udp = dns2.createUDPServer((request, send) => this.#answer(request, send));
  readonly #tcp = dns2.createTCPServer((request, send) => this.#answer(request, send));

  private constructor() {
    // Ignores errors of requests, because a resolver that gives up closes its connection early.
    for (const server of [this.#udp, this.#tcp]) server.on('requestError', () => undefined);
  }

  static async start(zone: Zone = {}): Promise<DnsServer> {
    for (;;) {
      const server = new DnsServer();
      server.zone = zone;
      if (await server.#listen()) return server;
    }
  }

  /** Listens on a free port over UDP and TCP. Returns false if the port is free only for UDP. */
  async #listen(): Promise<boolean> {
    await this.#udp.listen(0, '127.0.0.1');
    this.#tcp.listen(this.#udp.address().port, '127.0.0.1');
    try {
      await once(this.#tcp, 'listening');
      return true;
    } catch (error) {
      this.#udp.close();
      if (isCode(error, 'EADDRINUSE')) return false;
      throw error;
    }
  }

  /** Returns the address in the format of `STELE_DNS_SERVERS`. */
  get address(): string {
    return `127.0.0.1:${this.#udp.address().port}`;
  }

  async close(): Promise<void> {
    this.#udp.close();
    this.#tcp.close();
    await once(this.#udp, 'close');
  }

  #answer(request: dns2.Packet, send: (response: dns2.Packet) => unknown) {
    const [question] = request.questions;
    if (!question) return;
    const type = (Object.keys(TYPES) as Type[]).find((name) => TYPES[name] === question.type);
    this.asked.push(`${type ?? question.type} ${question.name.toLowerCase()}`);
    const response = Packet.createResponseFromRequest(request);
    response.header.ra = 1;
    const failing = this.#collect(question.name.toLowerCase(), type, response);
    if (failing === 'silent') return;
    if (failing) response.header.rcode = Packet.RCODE[failing];
    const records = this.zone[question.name.toLowerCase()];
    const afterMs = typeof records === 'object' ? (records.afterMs ?? 0) : 0;
    // Ignores errors, because the client or this server may close the connection during the delay.
    const answer = async () => send(response);
    setTimeout(() => answer().catch(() => undefined), afterMs).unref();
  }

  /** Adds the records to the response, following CNAME records as resolvers do. Returns the failure, or null. */
  #collect(asked: string, type: Type | undefined, { header, answers }: dns2.Packet): Failing | 'NXDOMAIN' | null {
    const seen = new Set<string>();
    for (let name = asked; ; ) {
      const records = this.zone[name];
      if (records === undefined) return this.#isAbove(name) ? null : 'NXDOMAIN';
      if (typeof records === 'string') return records;
      if (type === undefined) return null;
      const values = records[type];
      if (isFailing(values)) return values;
      if (type !== 'CNAME' && typeof records.CNAME === 'string') {
        if (isFailing(records.CNAME)) return records.CNAME;
        if (seen.has(name)) return 'SERVFAIL';
        seen.add(name);
        answers.push(resource(name, 'CNAME', { domain: records.CNAME }));
        name = records.CNAME.toLowerCase();
        continue;
      }
      answers.push(...resourcesOf(name, type, records));
      header.aa = 1;
      return null;
    }
  }

  /** Reports whether the zone has names below `name`. If so, `name` exists even without records (RFC 8020). */
  #isAbove = (name: string) => Object.keys(this.zone).some((other) => other.endsWith(`.${name}`));
}

const resource = (name: string, type: Type, values: Partial<dns2.Packet.Resource>) =>
  Object.assign(new Packet.Resource(name, TYPES[type], 1, 0), values);

function resourcesOf(name: string, type: Type, records: NameRecords): dns2.Packet.Resource[] {
  const listed = <Value>(values: readonly Value[] | Failing | undefined) => (typeof values === 'object' ? values : []);
  switch (type) {
    case 'A':
    case 'AAAA':
      return listed(records[type]).map((address) => resource(name, type, { address }));
    case 'CNAME':
      return records.CNAME === undefined ? [] : [resource(name, type, { domain: records.CNAME })];
    case 'TXT':
      // The encoder accepts bytes, although its types allow only strings.
      return listed(records.TXT).map((text) => Object.assign(resource(name, type, {}), { data: text }));
    case 'CAA':
      return listed(records.CAA).map(({ flags = 0, tag, value }) => resource(name, type, { flags, tag, value }));
    case 'SOA':
      return records.SOA === undefined ? [] : [resource(name, type, SOA)];
  }
}

const SOA = {
  primary: 'ns.example.com',
  admin: 'hostmaster.example.com',
  serial: 1,
  refresh: 3_600,
  retry: 600,
  expiration: 86_400,
  minimum: 60,
};
