import { describe, expect, it } from '@jest/globals';
import { installEnvironment } from './environment.js';

describe('installEnvironment', () => {
  it('prevents packages from downloading browsers and other binaries', () =>
    expect(installEnvironment({ secrets: new Map() })).toMatchObject({
      ...{ PUPPETEER_SKIP_DOWNLOAD: 'true', PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1', CYPRESS_INSTALL_BINARY: '0' },
      ...{
        ELECTRON_SKIP_BINARY_DOWNLOAD: '1',
        SKIP_SASS_BINARY_DOWNLOAD_FOR_CI: '1',
        SHARP_IGNORE_GLOBAL_LIBVIPS: '1',
      },
    }));

  it('secrets can override the variables that prevent downloads, but not the variable CI', () => {
    const secrets = new Map([
      ['PUPPETEER_SKIP_DOWNLOAD', 'false'],
      ['CI', 'no'],
    ]);
    expect(installEnvironment({ secrets })).toMatchObject({ PUPPETEER_SKIP_DOWNLOAD: 'false', CI: 'true' });
  });
});
