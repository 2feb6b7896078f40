import { UsageError } from '../command-line/errors.js';
import type { Link } from '../project/stele-json.js';
import type { Credentials } from './credentials-file.js';

export type Source = 'flag' | 'variable' | 'stele.json' | 'credentials';

export type ChosenInstance = { readonly url: string; readonly source: Source };

/** Which instance a command is for. The first of flag, variable, stele.json and credentials decides. */
export function chooseInstance(
  flag: string | undefined,
  environment: NodeJS.ProcessEnv,
  link: Link | null,
  credentials: Credentials,
): ChosenInstance {
  const candidates: [string | undefined, Source][] = [
    [flag, 'flag'],
    [environment.STELE_INSTANCE, 'variable'],
    [link?.instance, 'stele.json'],
    [credentials.current, 'credentials'],
  ];
  for (const [text, source] of candidates) if (text) return { url: parseInstance(text), source };
  throw new UsageError('Which instance of Stele is this for? Name its address.', [
    { command: 'stele instances use https://stele.example.org', when: 'to use an instance from now on' },
    { command: 'stele deploy --instance https://stele.example.org', when: 'for one command' },
  ]);
}

/** Completes an address that somebody typed. Only this machine is reached without TLS unless the address says so. */
export function parseInstance(text: string): string {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/.test(text);
  const url = /^[a-z]+:\/\//i.test(text) ? text : `${isLocal ? 'http' : 'https'}://${text}`;
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw new UsageError(`“${text}” is not the address of an instance. It looks like https://stele.example.org.`);
  return new URL(url).origin;
}
