import type { Stele } from 'stele-api/client';
import type { Command } from './command.js';
import type { Session } from './session.js';

export type SiteOptions = { readonly site?: string };

/** Adds `--site`, which all commands about one site have. */
export const addSiteOption = (command: Command) =>
  command.option('--site <name>', 'the name of the site (or STELE_SITE, or the one in stele.json)');

export type OnSite = {
  readonly stele: Stele;
  readonly slug: string;
  readonly params: { readonly path: { slug: string } };
  /** Returns the request options for one page, when all pages of a list are read. */
  readonly onPage: (page: number) => { params: OnSite['params'] & { query: { limit: number; page: number } } };
};

/**
 * Finds the site that a command is about, and connects with a credential. Throws UsageError if no site was named, and
 * NotSignedInError if there is no credential.
 */
export async function connectToSite(session: Session, { site }: SiteOptions, argument?: string): Promise<OnSite> {
  const { slug } = await session.getSite(argument, site);
  const params = { path: { slug } };
  const onPage = (page: number) => ({ params: { ...params, query: { limit: 100, page } } });
  return { stele: await session.connectSignedIn({ site: slug }), slug, params, onPage };
}
