import type { CommandDefinition } from '../command-line/command.js';
import { assertConfirmed } from '../output/questions.js';
import { addSiteOption, connectToSite, type SiteOptions } from './on-site.js';

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
    await session.credentialsFile.forgetEditToken(stele.instance, slug);
    session.output.result({ json: { site: slug }, quiet: '', text: `Deleted ${slug}.` });
  },
};
