import { read } from 'stele-api/client';
import { type CommandDefinition, parseCount } from '../command-line/command.js';
import { formatBytes, formatTime } from '../output/quantities.js';
import { formatTable } from '../output/table.js';

type Options = { readonly limit: number; readonly page: number; readonly search?: string };

export const sites: CommandDefinition = {
  usage: 'sites',
  summary: 'list your sites',
  examples: [
    ['stele sites', 'lists your sites on the current instance, and those without an owner that this machine can edit'],
    ['stele sites --search blog --quiet', 'prints the addresses of the sites that match'],
  ],
  configure: (command) =>
    command
      .option('--search <text>', 'only sites whose name or title contains this')
      .option('--limit <count>', 'how many, up to 100', parseCount, 20)
      .option('--page <number>', 'which page', parseCount, 1),
  run: async (session, _, { limit, page, search }: Options) => {
    const stele = (await session.connect()).stele;
    const kept = (await session.readCredentials()).instances[stele.instance];
    const query = { limit: Math.min(100, limit), page, ...(search && { q: search }) };
    const own = kept?.editTokens ? Object.keys(kept.editTokens) : [];
    // Somebody without an account still has the sites whose edit tokens this machine keeps.
    const mine =
      stele.credential || own.length === 0 ? await read(stele.api.GET('/v1/me/sites', { params: { query } })) : null;
    const { items = [], total = 0 } = mine ?? {};
    session.output.result({
      json: { items, total, withoutOwner: own },
      quiet: [...items.map(({ url }) => url), ...own].join('\n'),
      text: formatTable(
        ['SITE', 'ROLE', 'VISIBLE TO', 'FILES', 'SIZE', 'CHANGED (UTC)', 'ADDRESS'],
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
  },
};
