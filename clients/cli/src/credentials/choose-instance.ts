import { UsageError } from '../command-line/errors.js';
import type { Link } from '../project/stele-json.js';
import type { Credentials } from './credentials-file.js';

export type Source = 'flag' | 'variable' | 'stele.json' | 'credentials';

export type ChosenInstance = { readonly url: string; readonly source: Source };

/** Chooses the instance: from `--instance`, `STELE_INSTANCE`, `stele.json` or the stored credentials, in this order. */
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
  throw new UsageError('No Stele instance was named. Add --instance URL, or choose an instance once.', [
    { command: 'stele instances use https://stele.example.org', when: 'to use this instance from now on' },
    { command: 'stele deploy --instance https://stele.example.org', when: 'to use it for one command' },
  ]);
}

/**
 * Returns the origin of an address that the user typed. Without a scheme, adds `http://` for this machine, and
 * `https://` for any other. Throws UsageError if the address is invalid.
 */
export function parseInstance(text: string): string {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/.test(text);
  const url = /^[a-z]+:\/\//i.test(text) ? text : `${isLocal ? 'http' : 'https'}://${text}`;
  // The address is part of suggested commands, so it must not contain characters that a shell interprets.
  if (!URL.canParse(url) || !/^https?:\/\/[\w.:[\]-]+$/.test(new URL(url).origin))
    throw new UsageError(`“${text}” is not the address of an instance. Use a URL such as https://stele.example.org.`);
  return new URL(url).origin;
}
