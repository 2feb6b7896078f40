import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Member, memberOf } from '../../support/fleet/fleet-member.js';
import { waitForOutput } from '../../support/service/output.js';
import { sendRawInPieces, sendRawUntilClosed } from '../../support/service/raw-socket.js';
import { temporaryFolder } from '../../support/service/stele.js';

describe.each([
  ['is on the Public Suffix List', 'github.io', true],
  ['is not on the Public Suffix List', 'stele-sites.example', false],
])('If the site domain %s', (_, siteDomain, isListed) => {
  let stele: Member;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const folder = await temporaryFolder('large-heads');
    remove = folder.remove;
    const env = { STELE_DATA: folder.folder, STELE_BASE_URL: 'https://stele.example', STELE_SITE_DOMAIN: siteDomain };
    stele = await memberOf('api,serve,worker,projector', env);
    await stele.start();
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await remove();
  });

  const cookie = `Cookie: a=${'x'.repeat(20_000)}\r\n`;
  const head = (host: string, accept: string) =>
    `GET / HTTP/1.1\r\nHost: ${host}\r\nAccept: ${accept}\r\n${cookie}\r\n`;
  const clearing = '\r\nclear-site-data: "cookies"\r\n';

  it(`the service logs ${isListed ? 'no warning' : 'one warning'} about the site domain`, async () => {
    const warning = 'is not on the Public Suffix List';
    if (!isListed) await waitForOutput(stele.printed, warning);
    expect(stele.printed().split(warning)).toHaveLength(isListed ? 1 : 2);
  });

  it.each([
    ['at once', (text: string) => [text]],
    ['in pieces, as a proxy sends them', (text: string) => text.match(/[\s\S]{1,4096}/g) ?? []],
  ])(
    `if a visitor sends too many cookies %s, the response ${isListed ? 'deletes them' : 'says how to delete them'}`,
    async (_, cut) => {
      const response = await sendRawInPieces(stele.port, cut(head(`some-site.${siteDomain}`, 'text/html,*/*')));
      expect(response).toMatch(/^HTTP\/1.1 431 /);
      expect(response).toContain('content-type: text/html');
      expect(response.includes(clearing)).toBe(isListed);
      expect(response).toContain(isListed ? 'was told to delete' : 'Clear cookies and site data');
    },
  );

  it('the cookies of the service and of other domains are not deleted', async () => {
    for (const host of ['stele.example', 'www.example.org', siteDomain]) {
      const response = await sendRawUntilClosed(stele.port, head(host, '*/*'));
      expect(response).toMatch(/^HTTP\/1.1 431 [\s\S]*"suggestion":"[^"]*delete the cookies/);
      expect(response).not.toContain('clear-site-data');
    }
  });
});
