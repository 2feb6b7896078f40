import { read, type Schemas } from 'stele-api/client';
import { type CommandDefinition, parseCountUpTo } from '../../command-line/command.js';
import { addSiteOption, connectToSite, type SiteOptions } from '../../command-line/on-site.js';
import { formatBytes, formatTime } from '../../output/quantities.js';
import { formatTable } from '../../output/table.js';

export const deploys: CommandDefinition = {
  usage: 'deploys',
  summary: 'list the deploys of a site, newest first',
  examples: [
    ['stele deploys', 'lists the last 20 deploys of the site of this folder'],
    ['stele deploys --site my-site --limit 100 --json', 'returns the last 100 deploys as JSON'],
  ],
  configure: (command) =>
    addSiteOption(command).option('--limit <count>', 'the number of deploys, up to 100', parseCountUpTo(100), 20),
  run: async (session, _, options: SiteOptions & { limit: number }) => {
    const { stele, params } = await connectToSite(session, options);
    const query = { limit: options.limit };
    const { items, total } = await read(stele.api.GET('/v1/sites/{slug}/deploys', { params: { ...params, query } }));
    session.output.result({
      json: { items, total },
      quiet: items.map(({ deployId }) => deployId).join('\n'),
      text: formatTable(
        ['DEPLOY', 'STATUS', 'TIME (UTC)', 'FILES', 'SIZE', 'BY', 'MESSAGE'],
        items.map((each) => [
          String(each.number),
          each.status,
          formatTime(each.createdAt),
          String(each.files),
          formatBytes(each.bytes),
          nameAuthor(each),
          each.message ?? '',
        ]),
      ),
    });
  },
};

/** Names who deployed, and with which app. A connected app takes precedence over the name in `stele-client`. */
const nameAuthor = ({ actor, client }: Schemas['Deploy']) =>
  [actor.name ?? actor.kind, actor.client ?? client].filter(Boolean).join(' via ');
