import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainsUnderTest } from '../support/dns/domains-under-test.js';
import { acmeUrl, HttpsFront, type Ports, portsOfFront } from '../support/dns/https-front.js';
import { rawRequestsTo } from '../support/service/raw-request.js';
import { temporaryFolder } from '../support/service/stele.js';

const WWW = 'www.otters.com';

describe('Behind the repository’s Caddyfile', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let ports: Ports;
  let domains: DomainsUnderTest;
  let front: HttpsFront;
  let slug: string;

  beforeAll(async () => {
    temporary = await temporaryFolder('front');
    ports = await portsOfFront();
    domains = await DomainsUnderTest.start({
      STELE_TLS_AT: `127.0.0.1:${ports.tls}`,
      STELE_ACME_URL: acmeUrl(ports),
    });
    front = new HttpsFront(temporary.folder, ports);
    await front.start(domains.dns.address, domains.stele);
    slug = await domains.site('otters');
    domains.set({ [`${slug}.localhost`]: { A: ['127.0.0.1'] } });
  }, 60_000);
  afterAll(async () => {
    await front?.stop();
    await domains?.close();
    await temporary.remove();
  });

  /** Waits until the service has asked for it, and it is there. */
  async function certificateOf(hostname: string) {
    for (const end = Date.now() + 20_000; !(await front.certificates()).includes(hostname); await delay(50))
      if (Date.now() > end) throw new Error(`No certificate for ${hostname}:\n${front.said()}`);
  }

  it('a domain has its certificate before its first visitor comes', async () => {
    await domains.active(slug, WWW);
    await certificateOf(WWW);
    const answer = await front.get(WWW);
    expect(answer).toMatchObject({ status: 200, text: 'otters', issuer: expect.stringMatching(/^Pebble/) });
    expect(answer.headers['alt-svc']).toMatch(/h3=/);
    expect(await front.certificates()).toEqual([WWW]);
  }, 60_000);

  it('a name that nobody has attached gets none, though it leads here, nor does one that waits', async () => {
    const waiting = 'waiting.otters.com';
    const leading = { CNAME: `${slug}.localhost` };
    domains.set({ 'stranger.com': leading, [waiting]: leading });
    await domains.add(slug, { hostname: waiting }).expect(201);
    for (const name of ['stranger.com', waiting, 'otters.com', `x.${WWW}`])
      await expect(front.get(name)).rejects.toThrow();
    expect(await front.certificates()).toEqual([WWW]);
  });

  it('a visitor by http is sent on to https', async () => {
    const { status, headers } = await rawRequestsTo(ports.http, WWW)('/docs/?a=b');
    expect(status).toBe(308);
    expect(headers.location).toMatch(/^https:\/\/www\.otters\.com(:\d+)?\/docs\/\?a=b$/);
  });

  it('a Host that is not the name of the handshake is shown what that Host shows', async () => {
    expect(await front.get(WWW, '/', 'stranger.com')).toMatchObject({ status: 421 });
  });

  it('the question whether to issue is answered to no visitor', async () => {
    const answer = await front.get(WWW, `/internal/tls/ask?domain=${WWW}`);
    expect(answer.status).toBe(404);
  });

  it('a domain that was removed gets no other certificate', async () => {
    await domains.stele.api.delete(`/v1/sites/${slug}/domains/${WWW}`).set(domains.ann.bearer).expect(204);
    const asked = rawRequestsTo(domains.stele.port, 'api:3000');
    expect((await asked(`/internal/tls/ask?domain=${WWW}`)).status).toBe(404);
    expect(await front.get(WWW)).toMatchObject({ status: 421 });
  });
});
