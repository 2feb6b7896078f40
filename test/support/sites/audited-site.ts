import type { Stele } from '../service/stele.js';

export type AuditedSite = { readonly slug: string; readonly editToken: string; readonly deployId: string };

/** Creates a site with this many deploys. Its history has one more event, the creation of the site. */
export async function siteWith({ api }: Stele, deploys: number): Promise<AuditedSite> {
  const { body } = await api.post('/v1/deploy').type('html').send('<h1>1</h1>').expect(200);
  for (let n = 2; n <= deploys; n++) {
    await api
      .patch('/v1/deploy')
      .query({ slug: body.slug })
      .set({ 'x-svc-edit-token': body.editToken, 'content-type': 'text/html' })
      .send(`<h1>${n}</h1>`)
      .expect(200);
  }
  return body;
}

export const askedHistory = (
  { api }: Stele,
  { slug, editToken }: AuditedSite,
  query: Record<string, string | number> = {},
) => api.get(`/v1/sites/${slug}/history`).query(query).set('x-svc-edit-token', editToken);

/** Returns the history as an auditor downloads it: a line for each event, and a signed last line. */
export async function exportOf(stele: Stele, site: AuditedSite): Promise<string> {
  const asked = askedHistory(stele, site).set('accept', 'application/x-ndjson').buffer(true);
  const { text, body } = await asked.expect(200);
  return text ?? String(body);
}

export const keysOf = async ({ api }: Stele) => (await api.get('/.well-known/stele-audit-key').expect(200)).text;

/** Runs SQL as a database superuser without foreign key checks, to change the log or tables derived from it. */
export const tamper = ({ query }: Stele, sql: string) => query(`set session_replication_role = replica; ${sql}`);
