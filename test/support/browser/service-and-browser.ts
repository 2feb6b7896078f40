import { startStele, temporaryFolder } from '../service/stele.js';
import { openBrowser } from './chromium.js';

/** A service in a folder of its own, and a browser to look at it with: both start at the same time, and end together. */
export async function openServiceAndBrowser(name: string, env: Record<string, string> = {}) {
  const { folder, remove } = await temporaryFolder(`browser-${name}`);
  const starting = [startStele({ folder, env }), openBrowser()] as const;
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
