import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Browser, BrowserContext } from 'playwright-core';
import { SessionCookie } from '../../../src/edge/http/auth/cookies/session-cookie.js';
import { filesOf } from '../content/folder-files.js';
import { startBehindProxy } from '../service/behind-proxy.js';
import { temporaryFolder } from '../service/stele.js';
import { openBrowser } from './chromium.js';
import { type Recorded, type RecordingProxy, startRecordingProxy } from './recording-proxy.js';

export type Addresses = {
  readonly secure: boolean;
  readonly service: string;
  readonly sites: string;
  /** Whether a browser treats a page of a site as same-site with the service. */
  readonly shared: boolean;
};

/** A field of the deploy response that holds a URL of the hostile page. */
export type Form = 'pathUrl' | 'url' | 'previewUrl';

export type Attack = {
  /** Outcome of each attempt made by the page: `refused`, `sent`, or the data it obtained. */
  readonly outcomes: Readonly<Record<string, string>>;
  /** URLs of all frames in the page's tab. */
  readonly framed: readonly string[];
  readonly records: readonly Recorded[];
  readonly workers: readonly string[];
  readonly left: {
    readonly item: string | null;
    readonly items: number;
    readonly databases: readonly string[];
    readonly page: string;
    readonly sessions: readonly string[];
  };
};

export const TOKEN = 'victim';

/** Opens a browser that several `HostileWorld` objects can share. Each visitor gets a separate context. */
export const openWorldsBrowser = () =>
  openBrowser('--host-resolver-rules=MAP *.test 127.0.0.1', '--ignore-certificate-errors', '--disable-popup-blocking');

/** A service with a malicious site, and a browser in which a user is signed in to the service. */
export class HostileWorld {
  private constructor(
    readonly addresses: Addresses,
    readonly base: string,
    readonly cookie: SessionCookie,
    readonly proxy: RecordingProxy,
    private readonly browser: Browser,
    private readonly hostile: Readonly<Record<Form, string>>,
    readonly printed: () => string,
    readonly close: () => Promise<void>,
  ) {}

  /** `browser` must come from `openWorldsBrowser`. It stays open when the returned object is closed. */
  static async open(addresses: Addresses, browser: Browser): Promise<HostileWorld> {
    const { secure, service, sites } = addresses;
    const temporary = await temporaryFolder('hostile-page');
    const proxy = await startRecordingProxy(secure ? await readFile('test/fixtures/stele.test.pem') : null);
    const base = `http${secure ? 's' : ''}://${service}:${proxy.port}`;
    const starting = startBehindProxy(temporary.folder, {
      STELE_BASE_URL: base,
      STELE_SITE_DOMAIN: `${sites}:${proxy.port}`,
      STELE_RATE_LIMITS: 'off',
    });
    const close = async () => {
      await starting.then(
        (started) => started.stop(),
        () => undefined,
      );
      await proxy.stop();
      await temporary.remove();
    };
    try {
      const stele = await starting;
      proxy.leadTo(stele.port);
      const hostile = await deployed(stele.port, service);
      const cookie = new SessionCookie(base);
      return new HostileWorld(addresses, base, cookie, proxy, browser, hostile, stele.printed, close);
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Returns a browser context with a signed-in user and stored data. The requests that prepare it are not recorded. */
  async visitor(): Promise<BrowserContext> {
    const { base, cookie, proxy, addresses } = this;
    proxy.take();
    const context = await this.browser.newContext();
    const session = { name: cookie.name, value: TOKEN, url: base, httpOnly: true, sameSite: 'Lax' } as const;
    await context.addCookies([{ ...session, secure: addresses.secure }]);
    const page = await context.newPage();
    await page.goto(`${base}/v1/limits`);
    await page.evaluate(`(async () => {
      localStorage.setItem('victim', 'mine');
      await new Promise((resolve) => { indexedDB.open('victim').onsuccess = resolve; });
      await globalThis.caches?.open('victim');
    })()`);
    await page.close();
    proxy.records.length = 0;
    return context;
  }

  /** Opens the hostile page while the headers in `taken` are removed from the service's responses. */
  async attack(form: Form, ...taken: readonly string[]): Promise<Attack> {
    const { base, proxy } = this;
    const context = await this.visitor();
    proxy.take(...taken);
    const page = await context.newPage();
    // Session storage belongs to a tab, so this uses the tab that visited the service.
    await page.goto(`${base}/v1/limits`);
    await page.evaluate(`sessionStorage.setItem('victim', 'mine')`);
    await page.goto(`${this.hostile[form]}?api=${encodeURIComponent(base)}`);
    await page.waitForSelector('body[data-done=yes]', { timeout: 90_000 });
    const outcomes: Record<string, string> = await page.evaluate('window.outcomes');
    const framed = page.frames().map((frame) => frame.url());
    const records = [...proxy.records];
    const workers = context.serviceWorkers().map((worker) => worker.url());
    const left = await this.#leftIn(context);
    await context.close();
    return { outcomes, framed, records, workers, left };
  }

  async #leftIn(context: BrowserContext): Promise<Attack['left']> {
    const { base, cookie, addresses } = this;
    const page = await context.newPage();
    await page.goto(`${base}/v1/limits`);
    const own = (await context.cookies(base)).filter(
      ({ name, domain }) => name === cookie.name && domain === addresses.service,
    );
    return {
      item: await page.evaluate('localStorage.getItem("victim")'),
      items: await page.evaluate('localStorage.length'),
      databases: await page.evaluate('indexedDB.databases().then((all) => all.map(({ name }) => name))'),
      page: (await page.textContent('body')) ?? '',
      sessions: own.map(({ value }) => value),
    };
  }
}

/** Publishes the hostile site without a browser and without a session. */
async function deployed(port: number, host: string) {
  const files = await filesOf('test/fixtures/hostile-site');
  const sending = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/v1/deploy',
    headers: { host, 'content-type': 'application/json' },
  });
  sending.end(JSON.stringify({ files: files.map(({ path, content }) => ({ path, content: content.toString() })) }));
  return new Promise<Record<Form, string>>((resolve, reject) => {
    sending.on('error', reject);
    sending.on('response', (response) => json(response).then((body) => resolve(body as never), reject));
  });
}
