import { read, type Schemas, type Stele } from 'stele-api/client';
import type { CommandDefinition } from '../../command-line/command.js';
import { LIST_DEPLOYS, RefusedError } from '../../command-line/errors.js';
import { addSiteOption, connectToSite, type SiteOptions } from '../../command-line/on-site.js';
import { formatBytes } from '../../output/quantities.js';
import { oneLine } from '../../output/table.js';

export const diff: CommandDefinition = {
  usage: 'diff [from] [to]',
  summary: 'show which files differ between two deploys',
  examples: [
    ['stele diff', 'compares the live deploy with the one before it'],
    ['stele diff 11 12 --path index.html', 'shows which lines of one file differ'],
  ],
  configure: (command) => addSiteOption(command).option('--path <file>', 'show the changes in one text file'),
  run: async (session, [first, second], options: SiteOptions & { path?: string }) => {
    const { stele, slug, params } = await connectToSite(session, options);
    const { output } = session;
    const query = await chooseDeploys(stele, slug, first, second);
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

type Compared = { readonly from: string; readonly to: string };

/**
 * Returns the deploys to compare. If only one was named, it is compared with the live deploy. If none was named, the
 * live deploy is compared with the previous one.
 */
async function chooseDeploys(stele: Stele, slug: string, first?: string, second?: string): Promise<Compared> {
  if (first && second) return { from: first, to: second };
  let live: Schemas['Deploy'] | undefined;
  for (let page = 1, left = true; left; page++) {
    const params = { path: { slug }, query: { limit: 100, page } };
    const { items } = await read(stele.api.GET('/v1/sites/{slug}/deploys', { params }));
    live ??= items.find(({ status }) => status === 'live');
    const before = items.find(({ number, status }) => live && number < live.number && status === 'superseded');
    const from = first ?? before?.deployId;
    if (live && from) return { from, to: live.deployId };
    left = items.length > 0;
  }
  throw new RefusedError(
    `There is nothing to compare, because ${slug} has no earlier deploy that was live.`,
    'no_deploys',
    [LIST_DEPLOYS],
  );
}
