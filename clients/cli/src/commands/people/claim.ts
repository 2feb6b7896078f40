import { read } from 'stele-api/client';
import type { CommandDefinition } from '../../command-line/command.js';
import { RefusedError, SIGN_IN } from '../../command-line/errors.js';
import { formatTimeLeft } from '../../output/quantities.js';
import { ask } from '../../output/questions.js';

export const claim: CommandDefinition = {
  usage: 'claim [site]',
  summary: 'become the owner of an anonymous site, so that it does not expire',
  examples: [
    ['stele claim', 'claims the site of this folder for the signed-in user'],
    ['stele claim my-site --email me@example.org', 'claims the site through an emailed link, without signing in first'],
  ],
  configure: (command) => command.option('--email <address>', 'email a link that claims the site to this address'),
  run: async (session, [name], { email }: { email?: string }) => {
    const { slug } = await session.getSite(name);
    const { url } = await session.chooseInstance();
    const kept = (await session.readCredentials()).instances[url];
    const editToken = kept?.editTokens?.[slug];
    if (!editToken)
      throw new RefusedError(
        `This machine has no edit token for the site ${slug} on ${url}, so the site cannot be claimed here.`,
        'no_edit_token',
        [{ command: 'stele sites', when: 'to list the sites that this machine can edit' }],
      );
    const { output } = session;
    if (kept.token && !email) {
      const stele = session.createClient(url, { kind: 'bearer', token: kept.token });
      const claimed = await read(stele.api.POST('/v1/claim/session', { body: { slug, editToken } }));
      await session.credentialsFile.forgetEditToken(url, slug);
      output.result({ json: { ...claimed }, quiet: slug, text: `${slug} now belongs to ${claimed.user.email}.` });
      return;
    }
    const onInstance = await session.instanceOption();
    if (!email && output.isInteractive) output.note(`To sign in instead, cancel and run stele login${onInstance}.`);
    const to =
      email ??
      (await ask(session, 'To which email address should the link be sent?', [
        { command: `stele claim ${slug} --email ADDRESS`, when: 'to get a link by email' },
        SIGN_IN,
      ]));
    const stele = session.createClient(url);
    const started = await read(stele.api.POST('/v1/claim/start', { body: { slug, editToken, email: to } }));
    output.result({
      json: { site: slug, ...started },
      quiet: '',
      text: `Sent a link to ${started.email}. Open it within ${formatTimeLeft(started.expiresAt)} to claim ${slug}, then run stele login${onInstance}.`,
    });
  },
};
