import { read, type Schemas } from 'stele-api/client';
import type { CommandDefinition } from '../../command-line/command.js';
import { addSiteOption, connectToSite, type SiteOptions } from '../../command-line/on-site.js';
import { addPageOptions, type PageOptions } from '../../command-line/pages.js';
import { showPage } from '../../output/list.js';
import { formatBytes, formatTime } from '../../output/quantities.js';

export const deploys: CommandDefinition = {
  usage: 'deploys',
  summary: 'list the deploys of a site, newest first',
  examples: [
    ['stele deploys', 'lists the last 20 deploys of the site of this folder'],
    ['stele deploys --site my-site --limit 100 --json', 'returns the last 100 deploys as JSON'],
  ],
  configure: (command) => addPageOptions(addSiteOption(command)),
  run: async (session, _, { limit, page, ...options }: SiteOptions & PageOptions) => {
    const { stele, params } = await connectToSite(session, options);
    const query = { limit, page };
    const found = await read(stele.api.GET('/v1/sites/{slug}/deploys', { params: { ...params, query } }));
    showPage(session.output, found, {
      id: ({ deployId }) => deployId,
      headings: ['DEPLOY', 'STATUS', 'TIME (UTC)', 'FILES', 'SIZE', 'BY', 'MESSAGE'],
      row: (each) => [
        String(each.number),
        each.status,
        formatTime(each.createdAt),
        String(each.files),
        formatBytes(each.bytes),
        nameAuthor(each),
        each.message ?? '',
      ],
    });
  },
};

/** Describes who deployed, and with which app. A connected app takes precedence over the `stele-client` header. */
const nameAuthor = ({ actor, client }: Schemas['Deploy']) =>
  [actor.name ?? actor.kind, actor.client ?? client].filter(Boolean).join(' via ');
