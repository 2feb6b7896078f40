import { createWriteStream } from 'node:fs';
import { access, constants, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CommandDefinition } from '../../command-line/command.js';
import { addSiteOption, connectToSite, type SiteOptions } from '../../command-line/on-site.js';
import { formatBytes } from '../../output/quantities.js';
import { assertConfirmed } from '../../output/questions.js';

export const download: CommandDefinition = {
  usage: 'download [deploy]',
  summary: 'save a deploy as a zip archive',
  examples: [
    ['stele download', 'saves the live deploy as SITE.zip'],
    ['stele download 12 --output old.zip', 'saves deploy 12'],
  ],
  configure: (command) => addSiteOption(command).option('--output <file>', 'the file to which the archive is saved'),
  run: async (session, [deploy], options: SiteOptions & { output?: string }) => {
    const { stele, slug } = await connectToSite(session, options);
    const file = resolve(session.folder, options.output ?? `${slug}${deploy ? `-${deploy}` : ''}.zip`);
    await access(dirname(file), constants.W_OK);
    if (await stat(file).catch(() => null)) await assertConfirmed(session, `Replace ${file}?`);
    const url = stele.url(`/v1/sites/${slug}/files.zip`, { deployId: deploy });
    const { body } = await stele.open(new Request(url, { signal: session.signal }));
    const temporary = `${file}.part`;
    try {
      // An interrupted download must not look like a complete one.
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
  },
};
