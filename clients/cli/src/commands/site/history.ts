import { read } from 'stele-api/client';
import type { CommandDefinition } from '../../command-line/command.js';
import { addSiteOption, connectToSite, type SiteOptions } from '../../command-line/on-site.js';
import { addPageOptions, type PageOptions } from '../../command-line/pages.js';
import { verifyHistory } from '../../history/verify-history.js';
import { showPage } from '../../output/list.js';
import { formatTime, plural } from '../../output/quantities.js';

type Options = SiteOptions & PageOptions & { readonly type?: string; readonly verify?: boolean };

export const history: CommandDefinition = {
  usage: 'history',
  summary: 'list everything that happened to a site, newest first',
  examples: [
    ['stele history --type SiteDeployed,SiteRolledBack', 'lists only deploys and rollbacks'],
    ['stele history --verify', 'downloads the whole history, and verifies its hashes and signature'],
  ],
  configure: (command) =>
    addPageOptions(addSiteOption(command))
      .option('--type <types>', 'only events of these types, separated by commas')
      .option('--verify', 'verify that nothing in the history was changed'),
  run: async (session, _, { limit, page, type, ...options }: Options) => {
    const { stele, slug, params } = await connectToSite(session, options);
    const { output } = session;
    if (options.verify) {
      const { events, head, keyId } = await verifyHistory(stele, slug);
      output.result({
        json: { verified: true, events, hash: head, keyId },
        quiet: head,
        text: `VALID  ${plural(events, 'event')}, up to ${head}\n       Signed with the key ${keyId}, which ${stele.instance} publishes.`,
      });
      return;
    }
    const query = { limit, page, ...(type && { type }) };
    const found = await read(stele.api.GET('/v1/sites/{slug}/history', { params: { ...params, query } }));
    showPage(session.output, found, {
      id: ({ id }) => id,
      headings: ['REVISION', 'TIME (UTC)', 'EVENT'],
      row: ({ revision, at, summary }) => [String(revision), formatTime(at), summary],
    });
  },
};
