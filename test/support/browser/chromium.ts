import { type Browser, chromium } from 'playwright-core';

/** The path of the browser that `npm test` has found on this machine (tools/test/groups.mjs). */
export function chromiumPath(): string {
  const { CHROMIUM } = process.env;
  if (!CHROMIUM) throw new Error('There is no Chromium on this machine: set CHROMIUM to its path.');
  return CHROMIUM;
}

/** Resolves *.localhost by itself, as every browser does, and calls no host outside. `flags` come on top. */
export const openBrowser = (...flags: string[]): Promise<Browser> => launch(['--disable-quic', ...flags]);

/** As `openBrowser`, and speaks HTTP/3 where a server offers it. */
export const openBrowserWithHttp3 = (...flags: string[]): Promise<Browser> => launch(flags);

const launch = (flags: readonly string[]) =>
  chromium.launch({
    executablePath: chromiumPath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...flags,
    ],
  });
