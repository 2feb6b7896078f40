import type { CommandDefinition } from '../../command-line/command.js';
import { addSiteOption, connectToSite, type SiteOptions } from '../../command-line/on-site.js';
import type { Session } from '../../command-line/session.js';
import { assertConfirmed } from '../../output/questions.js';
import { removeLink } from '../../project/stele-json.js';

async function forgetSite(session: Session, instance: string, slug: string): Promise<void> {
  const kept = (await session.readCredentials()).instances[instance]?.editTokens?.[slug];
  if (kept !== undefined) await session.credentialsFile.forgetEditToken(instance, slug);
  const link = await session.link;
  if (link?.site === slug) await removeLink(link.file);
}

export const deleteSite: CommandDefinition = {
  usage: 'delete [site]',
  summary: 'delete a site and all its deploys',
  examples: [
    ['stele delete my-site', 'asks for confirmation, then deletes the site'],
    ['stele delete --site my-site --yes', 'deletes the site without asking, as in scripts'],
  ],
  configure: addSiteOption,
  run: async (session, [name], options: SiteOptions) => {
    const { stele, slug, params } = await connectToSite(session, options, name);
    await assertConfirmed(session, `Delete the site ${slug} on ${stele.instance} and all its deploys?`);
    await stele.api.DELETE('/v1/sites/{slug}', { params });
    // Only warn about an error here, because the site has already been deleted.
    await forgetSite(session, stele.instance, slug).catch((error: Error) =>
      session.output.warn(`The site is deleted, but this machine still remembers it: ${error.message}`),
    );
    session.output.result({ json: { site: slug }, quiet: '', text: `Deleted ${slug}.` });
  },
};
