import { type Browser, type BrowserServer, chromium } from 'playwright-core';
import { askResource } from '../jest/ask-resource.js';

/** Returns the path of the browser that `npm test` found on this machine (tools/test/needs.ts). */
export function chromiumPath(): string {
  const { CHROMIUM } = process.env;
  if (!CHROMIUM) throw new Error('There is no Chromium on this machine: set CHROMIUM to its path.');
  return CHROMIUM;
}

/**
 * Opens a browser that resolves *.localhost itself and contacts no other host. Without `flags`, tests share a browser,
 * and closing the returned object closes only the pages that were opened through it.
 */
export async function openBrowser(...flags: string[]): Promise<Browser> {
  if (flags.length > 0) return chromium.launch(optionsWith('--disable-quic', ...flags));
  return chromium.connect((await askResource<{ endpoint: string }>('browser')).endpoint);
}

export const openBrowserWithHttp3 = (...flags: string[]): Promise<Browser> => chromium.launch(optionsWith(...flags));

export const launchSharedBrowser = (): Promise<BrowserServer> => chromium.launchServer(optionsWith('--disable-quic'));

const optionsWith = (...flags: string[]) => ({
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
