import { randomUUID } from 'node:crypto';
import { read } from 'stele-api/client';
import { readNumbers } from 'stele-api/deploy/send-deploy';
import type { CommandDefinition } from '../../command-line/command.js';
import { addSiteOption, connectToSite, type SiteOptions } from '../../command-line/on-site.js';

export const rollback: CommandDefinition = {
  usage: 'rollback [deploy]',
  summary: 'make another deploy live: its number, its ID (dep_…), or previous (the default)',
  examples: [
    ['stele rollback', 'goes back to the deploy that was live before'],
    ['stele rollback 12 --site my-site', 'makes deploy 12 live'],
  ],
  configure: addSiteOption,
  run: async (session, [deploy = 'previous'], options: SiteOptions) => {
    const { stele, slug, params } = await connectToSite(session, options);
    const result = await read(
      stele.api.POST('/v1/sites/{slug}/rollback', {
        params: { ...params, header: { 'idempotency-key': randomUUID() } },
        body: { deployId: deploy },
      }),
    );
    const numberOf = await readNumbers(stele, slug, 100);
    const number = numberOf(result.deployId);
    const isUnchanged = result.deployId === result.previousDeployId;
    const undo = {
      command: `stele rollback ${numberOf(result.previousDeployId) ?? result.previousDeployId} --site ${slug}${await session.instanceOption()}`,
      when: 'to undo this rollback',
    };
    const { output } = session;
    output.result({
      json: { status: 'live', ...result, number, unchanged: isUnchanged, next: isUnchanged ? [] : [undo] },
      quiet: result.url,
      text: [
        `${output.paint('green', 'LIVE')}  ${output.paint('bold', result.url)}`,
        `      Deploy ${number ?? result.deployId}${isUnchanged ? ', which was already live' : ''}`,
      ].join('\n'),
    });
    if (!isUnchanged) output.note(`Undo      ${undo.command}`);
  },
};
