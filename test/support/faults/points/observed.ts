import type { Test } from 'supertest';
import type { Headers, World } from './world.js';

export type Given = {
  /** A unique word that is part of every name created for this run. */
  readonly mark: string;
  readonly by?: Headers;
  readonly slug?: string;
  readonly deployId?: string;
  /** True if the service may also make this change on its own. The actor can then differ, so it is not compared. */
  readonly isAnybodys?: boolean;
  /** Paths that are requested in addition to those of the site. */
  readonly reads?: readonly (readonly [path: string, by?: Headers])[];
};

/** Observed responses by path, without IDs, times and other values that differ between runs. */
export type Observed = Readonly<Record<string, unknown>>;

const OF_SITE = [
  ...['', '/deploys', '/files', '/history', '/members', '/invites', '/secrets', '/capabilities', '/domains'],
  ...['/tokens', '/publishers', '/connector/tokens', '/connector/invocations', '/jobs'],
];
const OF_PERSON = ['', '/sessions', '/sites', '/tokens', '/domains', '/grants'].map((path) => `/v1/me${path}`);

/** Returns everything visible that the operation may have changed: responses, pages and mail. */
export async function observe(world: World, given: Given, slugs = [given.slug]): Promise<Observed> {
  const { api, stele } = world;
  const asked: [string, Test][] = (given.reads ?? []).map(([path, by = given.by ?? {}]) => [
    path,
    api.get(path).set(by),
  ]);
  if (given.by) for (const path of OF_PERSON) asked.push([path, api.get(path).set(given.by)]);
  for (const slug of slugs) {
    if (slug === undefined) continue;
    for (const path of OF_SITE) asked.push([`site ${path}`, api.get(`/v1/sites/${slug}${path}`).set(given.by ?? {})]);
    asked.push(['page', stele.visit(slug)]);
  }
  const seen = asked.map(async ([path, test]) => {
    const { status, body, text } = await test;
    const said = Object.keys(body ?? {}).length > 0 ? body : text;
    return [path, [status, status < 300 ? told(path, said, given) : body?.code]] as const;
  });
  const [read, { body: outbox }] = await Promise.all([Promise.all(seen), api.get('/dev/outbox.json').expect(200)]);
  const mails = (outbox as { to: string; subject: string }[]).filter(({ to }) => to.includes(given.mark));
  // Lists a mail only once even if it was sent twice, because the service cannot take back a mail.
  const sent = new Set(mails.map(({ to, subject }) => `${to}: ${subject.replace(/\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/, '')}`));
  return masked({ ...Object.fromEntries(read), mails: [...sent].sort() }, given.mark);
}

function told(path: string, said: { readonly items: readonly object[] }, { isAnybodys = false }: Given): object {
  if (isAnybodys && path.endsWith('/history'))
    return { ...said, items: said.items.map((entry) => ({ ...entry, actor: '*' })) };
  if (path.startsWith('/v1/jobs/')) return { ...said, revision: '*' };
  return path.endsWith('/jobs') ? ofAnyAttempt(said) : said;
}

/**
 * Masks what depends on the number of attempts at the job: its revision and its steps. Each lost worker adds revisions.
 * Only the steps of the last attempt are listed, and none if an earlier attempt had already published.
 */
const ofAnyAttempt = ({ items }: { readonly items: readonly object[] }) => ({
  items: items.map((job) => ({ ...job, revision: '*', steps: '*' })),
});

/** Replaces IDs, times and other values that differ between runs with placeholders. */
export function masked(value: object, mark: string): Observed {
  const text = JSON.stringify(value)
    .replaceAll(mark, '{mark}')
    .replace(/\b([a-z]{2,4})_[0-9a-z]{26}\b/g, '$1_*')
    .replace(/\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/g, '{code}')
    .replace(/\b[0-9a-f]{64}\b/g, '{sha256}')
    .replace(/stele=[0-9a-f]{32}/g, 'stele={token}')
    .replace(/\b(stele_[a-z]+)_\w{20,}/g, '$1_{secret}')
    .replace(/"(?:\d{4}-\d\d-\d\dT[\d:.]+Z)"/g, '"{time}"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '{time}')
    // Masks the version numbers of secrets. A crash can skip a number if the secret was stored but its event was not
    // recorded.
    .replace(/"version":\d+/g, '"version":"*"')
    .replace(/\bversion \d+/g, 'version *')
    .replace(/dep-[0-9a-z]{26}/g, 'dep-*')
    .replace(/"(position|next|cursor)":("[^"]*"|\d+)/g, '"$1":"*"')
    .replace(/"(hash|previousHash|digest|fingerprint|key|lastUsedAt|requestId|proof)":"[^"]*"/g, '"$1":"*"');
  return JSON.parse(text);
}
