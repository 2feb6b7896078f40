import { read } from 'stele-api/client';
import type { CommandDefinition } from '../../command-line/command.js';
import { addPageOptions, type PageOptions } from '../../command-line/pages.js';
import { mentionNextPage } from '../../output/list.js';
import { formatBytes, formatTime } from '../../output/quantities.js';
import { formatTable } from '../../output/table.js';

type Options = PageOptions & { readonly search?: string };

export const sites: CommandDefinition = {
  usage: 'sites',
  summary: 'list your sites',
  examples: [
    ['stele sites', 'lists your sites, and the anonymous sites that this machine can edit'],
    ['stele sites --search blog --quiet', 'prints the addresses of matching sites'],
  ],
  configure: (command) =>
    addPageOptions(command).option('--search <text>', 'only sites whose name or title contains this text'),
  run: async (session, _, { limit, page, search }: Options) => {
    const stele = (await session.connect()).stele;
    const kept = (await session.readCredentials()).instances[stele.instance];
    const query = { limit, page, ...(search && { q: search }) };
    const own = kept?.editTokens ? Object.keys(kept.editTokens) : [];
    // Without a credential, list only the sites whose edit tokens are stored on this machine, if there are any.
    const mine =
      stele.credential || own.length === 0 ? await read(stele.api.GET('/v1/me/sites', { params: { query } })) : null;
    const { items = [], total = 0 } = mine ?? {};
    session.output.result({
      json: { items, total, withoutOwner: own },
      quiet: [...items.map(({ url }) => url), ...own].join('\n'),
      text: formatTable(
        ['SITE', 'ROLE', 'VISIBILITY', 'FILES', 'SIZE', 'CHANGED (UTC)', 'ADDRESS'],
        [
          ...items.map((site) => [
            site.slug,
            site.role,
            site.visibility,
            String(site.files),
            formatBytes(site.bytes),
            formatTime(site.updatedAt),
            site.url,
          ]),
          ...own.map((slug) => [slug, 'edit token', '', '', '', '', '']),
        ],
      ),
    });
    mentionNextPage(session.output, { ...query, total });
  },
};
