import { sharedStele, startStele, temporaryFolder } from '../service/stele.js';
import { openBrowser } from './chromium.js';

/**
 * With `env`, starts a new service that stops with the browser. Without it, uses the shared service (`sharedStele`).
 */
export async function openServiceAndBrowser(name: string, env?: Record<string, string>) {
  const { folder, remove } = await temporaryFolder(`browser-${name}`);
  const starting = [env ? startStele({ folder, env }) : sharedStele({ folder }), openBrowser()] as const;
  const close = async () => {
    const [stele, browser] = await Promise.allSettled(starting);
    if (browser.status === 'fulfilled') await browser.value.close();
    if (stele.status === 'fulfilled') await stele.value.stop();
    await remove();
  };
  try {
    const [stele, browser] = await Promise.all(starting);
    return { stele, browser, close };
  } catch (error) {
    await close();
    throw error;
  }
}
