import { read } from 'stele-api/client';
import { type CommandDefinition, Option } from '../../command-line/command.js';
import { addSiteOption, connectToSite, type SiteOptions } from '../../command-line/on-site.js';
import { formatBytes } from '../../output/quantities.js';
import { formatTable } from '../../output/table.js';

type Options = SiteOptions & {
  readonly from?: string;
  readonly to?: string;
  readonly interval?: 'hour' | 'day' | 'month';
};

export const analytics: CommandDefinition = {
  usage: 'analytics',
  summary: 'show how many people visited a site, and which pages',
  examples: [
    ['stele analytics', 'shows the last 30 days'],
    ['stele analytics --from 2026-11-01 --to 2026-11-30 --json', 'returns one month as JSON'],
  ],
  configure: (command) =>
    addSiteOption(command)
      .option('--from <day>', 'the first day (UTC), such as 2026-11-01')
      .option('--to <day>', 'the last day (UTC)')
      .addOption(
        new Option('--interval <interval>', 'the length of the intervals in the series').choices([
          'hour',
          'day',
          'month',
        ]),
      ),
  run: async (session, _, { from, to, interval, ...options }: Options) => {
    const { stele, params } = await connectToSite(session, options);
    const query = { ...(from && { from }), ...(to && { to }), ...(interval && { interval }) };
    const figures = await read(stele.api.GET('/v1/sites/{slug}/analytics', { params: { ...params, query } }));
    const { totals, previous } = figures;
    const compare = (name: 'visits' | 'visitors' | 'pageviews') => [name, String(totals[name]), String(previous[name])];
    session.output.result({
      json: { ...figures },
      quiet: String(totals.visitors),
      text: [
        formatTable(
          ['', 'THIS PERIOD', 'PREVIOUS PERIOD'],
          [
            compare('visitors'),
            compare('visits'),
            compare('pageviews'),
            ['traffic', formatBytes(totals.bytes), formatBytes(previous.bytes)],
          ],
        ),
        formatTable(
          ['PAGE', 'VISITORS', 'PAGEVIEWS'],
          figures.pages.slice(0, 10).map((page) => [page.path, String(page.visitors), String(page.pageviews)]),
        ),
      ].join('\n\n'),
    });
  },
};
