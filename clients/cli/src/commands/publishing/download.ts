import { createWriteStream, existsSync } from 'node:fs';
import { access, constants, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isInside } from 'stele-api/deploy/is-inside';
import type { CommandDefinition } from '../../command-line/command.js';
import { UsageError } from '../../command-line/errors.js';
import { addSiteOption, connectToSite, type SiteOptions } from '../../command-line/on-site.js';
import type { Session } from '../../command-line/session.js';
import { formatBytes } from '../../output/quantities.js';
import { assertConfirmed } from '../../output/questions.js';
import { quote } from '../../output/quote.js';
import { resolveLinkedFolder } from '../../project/stele-json.js';

export const download: CommandDefinition = {
  usage: 'download [deploy]',
  summary: 'save a deploy as a zip archive',
  examples: [
    ['stele download', 'saves the live deploy as SITE.zip'],
    ['stele download 12 --output ../old.zip', 'saves deploy 12 outside this folder'],
  ],
  configure: (command) => addSiteOption(command).option('--output <file>', 'the file to which the archive is saved'),
  run: async (session, [deploy], options: SiteOptions & { output?: string }) => {
    const { stele, slug } = await connectToSite(session, options);
    const name = `${slug}${deploy ? `-${deploy}` : ''}.zip`;
    const file = resolve(session.folder, options.output ?? name);
    const published = await findPublishedFolder(session, file);
    if (published !== null && options.output === undefined)
      throw new UsageError(`${name} would become part of the site, because stele deploy publishes ${published}.`, [
        {
          command: [
            'stele download',
            ...(deploy ? [deploy] : []),
            ...(options.site ? [`--site ${options.site}`] : []),
            `--output ${quote(join(relative(session.folder, dirname(published)), name))}`,
          ].join(' '),
          when: 'to save it outside this folder',
        },
      ]);
    await access(dirname(file), constants.W_OK);
    if (await stat(file).catch(() => null)) await assertConfirmed(session, `Replace ${file}?`);
    const url = stele.url(`/v1/sites/${slug}/files.zip`, { deployId: deploy });
    const { body } = await stele.open(new Request(url, { signal: session.signal }));
    const temporary = `${file}.part`;
    try {
      // Download to a temporary file, so that an interrupted download does not look complete.
      await pipeline(Readable.from(body ?? []), createWriteStream(temporary), { signal: session.signal });
      await rename(temporary, file);
    } finally {
      await rm(temporary, { force: true });
    }
    const { size } = await stat(file);
    session.output.result({
      json: { site: slug, file, bytes: size },
      quiet: file,
      text: `${file}  ${formatBytes(size)}`,
    });
    if (published !== null)
      session.output.warn(`stele deploy will publish ${options.output}. Move it, or add it to .steleignore.`);
  },
};

/** Returns the folder that `stele deploy` would publish, or null if the file is not inside it. */
async function findPublishedFolder({ link, folder }: Session, file: string): Promise<string | null> {
  const found = await link;
  const linked = found?.folder ? resolveLinkedFolder(found) : null;
  const published = linked ?? (existsSync(join(folder, 'index.html')) ? folder : null);
  return published !== null && isInside(file, published) ? published : null;
}
