import { read } from 'stele-api/client';
import { ProblemError } from 'stele-api/problem';
import type { CommandDefinition } from '../../command-line/command.js';
import { NotSignedInError, USE_TOKEN } from '../../command-line/errors.js';
import { parseInstance } from '../../credentials/choose-instance.js';
import { signInByCode, signInInBrowser } from '../../credentials/sign-in.js';
import { hasBrowser } from '../../network/open-browser.js';

type LoginOptions = { readonly code?: boolean; readonly browser?: boolean };

export const login: CommandDefinition = {
  usage: 'login [instance]',
  summary: 'sign in with a browser, on this machine or on another device',
  examples: [
    ['stele login https://stele.example.org', 'signs in, and uses this instance from now on'],
    ['stele login --code', 'shows an address and a code, for machines without a browser'],
  ],
  configure: (command) =>
    command
      .option('--code', 'show an address and a code, to sign in on any device')
      .option('--browser', 'sign in with a browser on this machine'),
  run: async (session, [argument], { code, browser }: LoginOptions) => {
    const instance = argument ? parseInstance(argument) : (await session.chooseInstance()).url;
    const stele = session.createClient(instance);
    const isInBrowser = browser || (!code && session.output.isInteractive && hasBrowser(session.environment));
    if (!isInBrowser && !code && !session.output.isInteractive)
      throw new NotSignedInError('Somebody has to approve the sign-in, but this run is not interactive.', [
        USE_TOKEN,
        { command: 'stele login --code', when: 'to let somebody approve the sign-in on another device' },
      ]);
    const { token, user } = await (isInBrowser ? signInInBrowser(session, stele) : signInByCode(session, stele));
    await session.credentialsFile.update(instance, (kept) => ({ ...kept, token, email: user.email }));
    await session.credentialsFile.use(instance);
    session.output.result({
      json: { instance, user },
      quiet: user.email,
      text: `Signed in to ${instance} as ${user.email}.`,
    });
  },
};

export const logout: CommandDefinition = {
  usage: 'logout',
  summary: 'sign out on this machine',
  examples: [
    ['stele logout', 'signs out of the current instance'],
    ['stele logout --instance https://stele.example.org', 'signs out of another instance'],
  ],
  run: async (session) => {
    const { url } = await session.chooseInstance();
    const token = (await session.readCredentials()).instances[url]?.token;
    if (!token) throw new NotSignedInError(`This machine is not signed in to ${url}.`, []);
    try {
      await session.createClient(url, { kind: 'bearer', token }).api.POST('/v1/auth/logout');
    } catch (error) {
      // Ignore this error, because the session has already ended.
      if (!(error instanceof ProblemError && error.status === 401)) throw error;
    }
    await session.credentialsFile.update(url, ({ token: _, email: __, ...kept }) => kept);
    session.output.result({ json: { instance: url }, quiet: '', text: `Signed out of ${url}.` });
  },
};

export const whoami: CommandDefinition = {
  usage: 'whoami',
  summary: 'show the signed-in user and the instance',
  examples: [
    ['stele whoami', 'shows the user and the instance, and where these settings come from'],
    ['stele whoami --json', 'the same for a script; exits with 3 if nobody is signed in'],
  ],
  run: async (session) => {
    const { url, source } = await session.chooseInstance();
    const connection = await session.connect();
    if (connection.source === 'none') throw new NotSignedInError(`You are not signed in to ${url}.`);
    const user = await read(connection.stele.api.GET('/v1/me'));
    session.output.result({
      json: { instance: url, instanceFrom: source, credential: connection.source, user },
      quiet: user.email,
      text: `${user.email} on ${url} (credential: ${connection.source}, instance from: ${source})`,
    });
  },
};
