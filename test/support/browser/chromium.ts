import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Chromium as the machine has it: `CHROMIUM`, or what is on the PATH. */
export function chromiumPath(): string {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = [process.env.CHROMIUM, ...folders.flatMap((folder) => names.map((name) => join(folder, name)))].find(
    (path) => {
      try {
        accessSync(path ?? '', constants.X_OK);
        return true;
      } catch {
        return false;
      }
    },
  );
  if (!found) throw new Error('There is no Chromium on this machine: set CHROMIUM to its path.');
  return found;
}

/** Resolves *.localhost by itself, as every browser does, and calls nobody outside. `flags` come on top. */
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
