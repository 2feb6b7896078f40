import type { Stele } from 'stele-api/client';
import type { Command } from '../command-line/command.js';
import type { Session } from '../command-line/session.js';

export type SiteOptions = { readonly site?: string };

/** Declares the option of all commands about one site. */
export const addSiteOption = (command: Command) =>
  command.option('--site <name>', 'the site (or STELE_SITE, or stele.json)');

export type OnSite = {
  readonly stele: Stele;
  readonly slug: string;
  readonly params: { readonly path: { slug: string } };
};

/** Connects with the right to change or read one site. */
export async function connectToSite(session: Session, { site }: SiteOptions, argument?: string): Promise<OnSite> {
  const { slug } = await session.getSite(argument, site);
  return { stele: await session.connectSignedIn({ site: slug }), slug, params: { path: { slug } } };
}
