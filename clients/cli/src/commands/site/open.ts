import { read } from 'stele-api/client';
import type { CommandDefinition } from '../../command-line/command.js';
import { openBrowser } from '../../network/open-browser.js';

export const openSite: CommandDefinition = {
  usage: 'open [site]',
  summary: 'open a site in a browser',
  examples: [
    ['stele open', 'opens the site of this folder'],
    ['stele open my-site --quiet', 'also prints its address, and nothing else'],
  ],
  run: async (session, [name]) => {
    const { slug } = await session.getSite(name);
    const { stele } = await session.connect({ site: slug });
    const { url } = await read(stele.api.GET('/v1/sites/{slug}', { params: { path: { slug } } }));
    const isOpened = await openBrowser(url, session.environment);
    session.output.result({ json: { site: slug, url, opened: isOpened }, quiet: url, text: url });
    if (!isOpened) session.output.note('No browser could be started on this machine.');
  },
};
