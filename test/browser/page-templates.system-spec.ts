// needs: database, chromium

import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/browser/chromium.js';
import {
  looksOf,
  type PageTemplate,
  pageTemplates,
  requiredOnly,
  withAddress,
  withTexts,
} from '../support/browser/page-templates.js';
import { sized } from '../support/jest/sized.js';
import { signIn } from '../support/people/sign-in.js';
import { type Stele, sharedStele, temporaryFolder } from '../support/service/stele.js';

const { source: axe } = createRequire(import.meta.url)('axe-core/axe.min.js') as { source: string };

/** Folder for screenshots of every page, which CI keeps. */
const pictures = process.env.STELE_TEST_PICTURES || 'coverage/pictures';

/**
 * Folder for previews. With `STELE_TEST_PREVIEWS=docs/templates`, the test updates the previews in the documentation.
 */
const previews = process.env.STELE_TEST_PREVIEWS;

const DESK = { width: 1280, height: 800 };
const HAND = { width: 390, height: 844 };
const SMALL = { width: 320, height: 640 };

const TOO_MANY_BYTES = 61_440;

const HOSTILE = `"><script>alert(1)</script></title></style><img src=x onerror=alert(1)>{{title}}<!--&lt;b&gt;'`;

const templates = await pageTemplates();

describe('Page templates', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let bearer: { authorization: string };
  let browser: Browser;

  const generate = (template: string, parameters: object) =>
    stele.api.post('/v1/code/generate').set(bearer).send({ template, parameters, deploy: true });
  const published = async ({ name }: PageTemplate, parameters: object) => {
    const { body } = await generate(name, parameters).expect(200);
    return { html: body.html as string, url: (body.deploy as { url: string }).url };
  };
  /** Opens a page, and records loads from other hosts, errors and injected scripts. */
  const opened = async (url: string) => {
    const page = await browser.newPage({ viewport: DESK, reducedMotion: 'reduce' });
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('dialog', (dialog) => {
      complaints.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (request.url() !== url && !request.url().startsWith('data:')) complaints.push(`asked for ${request.url()}`);
    });
    await page.goto(url);
    return { page, complaints };
  };
  const audited = async (page: Page, options: object = {}) => {
    const { violations, incomplete } = (await page.evaluate(
      `axe.run({ resultTypes: ['violations', 'incomplete'], ...${JSON.stringify(options)} })`,
    )) as AxeResults;
    // On a phone, part of a code block is hidden, so its contrast is unknown.
    const isDesk = page.viewportSize()?.width === DESK.width;
    const unclear = incomplete.filter(({ id }) => isDesk && id === 'color-contrast');
    return [...violations, ...unclear].map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  };
  const scrollsAside = async (page: Page, ...sizes: { width: number; height: number }[]) => {
    const wide: string[] = [];
    for (const size of sizes) {
      await page.setViewportSize(size);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      if (Number(width) > size.width) wide.push(`${width} of ${size.width}`);
    }
    await page.setViewportSize(DESK);
    return wide;
  };

  beforeAll(async () => {
    temporary = await temporaryFolder('page-templates');
    stele = await sharedStele({ folder: temporary.folder });
    ({ bearer } = await signIn(stele, 'designer@example.org'));
    browser = await openBrowser();
    await mkdir(pictures, { recursive: true });
    if (previews) await mkdir(previews, { recursive: true });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await stele?.stop();
    await temporary.remove();
  });

  const preview = async (page: Page, name: string) => {
    const shot = await page.screenshot();
    const url = (await page.evaluate(`(async () => {
      const image = new Image();
      image.src = 'data:image/png;base64,${shot.toString('base64')}';
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 400 });
      const context = canvas.getContext('2d');
      context.imageSmoothingQuality = 'high';
      context.drawImage(image, 0, 0, 640, 400);
      return canvas.toDataURL('image/webp', 0.8);
    })()`)) as string;
    await writeFile(join(previews ?? '', `${name}.webp`), Buffer.from(url.split(',')[1] ?? '', 'base64'));
  };

  describe.each(templates.map((template) => [template.name, template] as const))(
    'A page made from the template %s',
    (name, template) => {
      it('the page is readable and accessible, in light and dark mode, on desktop and phone', async () => {
        const { html, url } = await published(template, template.example);
        expect(Buffer.byteLength(html)).toBeLessThan(TOO_MANY_BYTES);
        const { page, complaints } = await opened(url);
        await page.evaluate(axe);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await page.screenshot({ path: join(pictures, `${name}.${colorScheme}.png`), fullPage: true });
          expect(await audited(page)).toEqual([]);
          if (previews && colorScheme === 'light') await preview(page, name);
          await page.setViewportSize(HAND);
          await page.screenshot({ path: join(pictures, `${name}.${colorScheme}.390.png`), fullPage: true });
          expect(await audited(page)).toEqual([]);
          await page.setViewportSize(DESK);
        }
        expect(await scrollsAside(page, DESK, HAND, SMALL)).toEqual([]);
        expect(complaints).toEqual([]);
        await page.close();
      }, 60_000);

      it('the page is readable in every available color', async () => {
        for (const [parameter, value] of looksOf(template).slice(-sized(100, 2))) {
          const { url } = await published(template, { ...template.example, [parameter]: value });
          const { page } = await opened(url);
          await page.evaluate(axe);
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme });
            expect({ value, colorScheme, found: await audited(page, { runOnly: ['color-contrast'] }) }).toEqual({
              value,
              colorScheme,
              found: [],
            });
          }
          await page.close();
        }
      }, 60_000);

      it('the page is complete with only its required parameters', async () => {
        const { url } = await published(template, requiredOnly(template));
        const { page, complaints } = await opened(url);
        await page.evaluate(axe);
        expect(await audited(page)).toEqual([]);
        expect(await scrollsAside(page, HAND, SMALL)).toEqual([]);
        expect(await page.locator('main :is(p, ul, ol, dl, h1, h2, h3):empty:not([role=status])').count()).toBe(0);
        await page.setViewportSize(HAND);
        await page.screenshot({ path: join(pictures, `${name}.least.png`), fullPage: true });
        expect(complaints).toEqual([]);
        await page.close();
      }, 60_000);

      it('text parameters appear as text, whatever they contain', async () => {
        const plain = withTexts(template, (count) => `${count} word`);
        const hostile = withTexts(template, (count) => `${count}${HOSTILE}`);
        const seen: { elements: string[]; shown: boolean[] }[] = [];
        for (const { values, texts } of [plain, hostile]) {
          const { url } = await published(template, values);
          const { page, complaints } = await opened(url);
          expect(complaints).toEqual([]);
          expect(await scrollsAside(page, HAND)).toEqual([]);
          seen.push({
            elements: (await page.evaluate(
              `[...document.querySelectorAll('*')].map(({ tagName }) => tagName)`,
            )) as string[],
            shown: (await page.evaluate(
              `(() => { const all = new Set([...document.querySelectorAll('*')].flatMap((element) => [element.textContent, ...element.getAttributeNames().map((name) => element.getAttribute(name))]));
              return ${JSON.stringify(texts)}.map((text) => all.has(text)); })()`,
            )) as boolean[],
          });
          await page.close();
        }
        expect(seen[1]).toEqual(seen[0]);
        expect(seen[0]!.shown.filter(Boolean).length).toBeGreaterThan(plain.texts.length / 2);
      }, 60_000);

      it.each([
        ['words of 200 characters', 'ltr', 'W'.repeat(2_000)],
        ['Arabic, from right to left', 'rtl', 'مرحبًا بكم في دارنا الصغيرة 2027 — Stele '.repeat(40)],
      ])('the layout of the page can show %s', async (what, direction, text) => {
        const { values } = withTexts(template, () => text.slice(0, 200));
        const { url } = await published(template, { ...values, direction });
        const { page, complaints } = await opened(url);
        expect(await scrollsAside(page, DESK, HAND, SMALL)).toEqual([]);
        await page.setViewportSize(HAND);
        await page.screenshot({ path: join(pictures, `${name}.${what.split(/\W/)[0]?.toLowerCase()}.png`) });
        expect(complaints).toEqual([]);
        await page.close();
      });

      it('a parameter with a URL that runs a script or loads content is refused', async () => {
        for (const address of [
          'javascript:alert(1)',
          'JaVa\tScript:alert(1)',
          'data:text/html,<script>alert(1)</script>',
        ])
          for (const [path, parameters] of withAddress(template, address)) {
            const { body } = await generate(name, parameters).expect(400);
            expect(body.errors.map((error: { path: string }) => error.path)).toContain(path);
          }
      });

      it('a parameter with characters that change the direction of surrounding text is refused', async () => {
        const { values } = withTexts(template, () => '\u202eword');
        await generate(name, values).expect(400);
      });
    },
  );
});
