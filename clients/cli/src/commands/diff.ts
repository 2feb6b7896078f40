import { read } from 'stele-api/client';
import type { CommandDefinition } from '../command-line/command.js';
import { formatBytes } from '../output/quantities.js';
import { oneLine } from '../output/table.js';
import { addSiteOption, connectToSite, type SiteOptions } from './on-site.js';

export const diff: CommandDefinition = {
  usage: 'diff [from] [to]',
  summary: 'show which files differ between two deploys',
  examples: [
    ['stele diff', 'compares the live deploy with the one that was published before it'],
    ['stele diff 11 12 --path index.html', 'shows the lines of one file that differ'],
  ],
  configure: (command) => addSiteOption(command).option('--path <file>', 'show the changes in one text file'),
  run: async (session, [from = 'previous', to], options: SiteOptions & { path?: string }) => {
    const { stele, slug, params } = await connectToSite(session, options);
    const { output } = session;
    const live = to ?? (await read(stele.api.GET('/v1/sites/{slug}', { params }))).deployId ?? '';
    const query = { from, to: live };
    if (options.path !== undefined) {
      const url = stele.url(`/v1/sites/${slug}/deploys/diff`, { ...query, path: options.path });
      const text = await (await stele.send(new Request(url))).text();
      output.result({
        json: { ...query, path: options.path, diff: text },
        quiet: text.trimEnd(),
        text: text.trimEnd(),
      });
      return;
    }
    const changes = await read(stele.api.GET('/v1/sites/{slug}/deploys/diff', { params: { ...params, query } }));
    const lines = [
      ...changes.added.map(({ path, size }) => output.paint('green', `+ ${oneLine(path)}  ${formatBytes(size)}`)),
      ...changes.changed.map(({ path, size }) => output.paint('yellow', `~ ${oneLine(path)}  ${formatBytes(size)}`)),
      ...changes.removed.map(({ path, size }) => output.paint('red', `- ${oneLine(path)}  ${formatBytes(size)}`)),
    ];
    const text = lines.length === 0 ? 'No differences.' : lines.join('\n');
    output.result({ json: { ...query, ...changes }, quiet: lines.join('\n'), text });
  },
};
