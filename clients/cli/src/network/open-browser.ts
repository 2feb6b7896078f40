import { spawn } from 'node:child_process';
import { platform } from 'node:os';

type Environment = NodeJS.ProcessEnv;

/** Whether a browser that this machine opens would appear in front of the user. */
export function hasBrowser({ BROWSER, SSH_CONNECTION, DISPLAY, WAYLAND_DISPLAY }: Environment): boolean {
  if (BROWSER) return BROWSER !== 'none';
  if (SSH_CONNECTION) return false;
  return platform() === 'darwin' || platform() === 'win32' || Boolean(DISPLAY || WAYLAND_DISPLAY);
}

/** Opens a URL in a browser. Returns whether the browser, or the program that opens it, could be started. */
export async function openBrowser(url: string, { BROWSER }: Environment = process.env): Promise<boolean> {
  if (BROWSER === 'none') return false;
  const [command, args] = BROWSER ? [BROWSER, [url]] : chooseOpener(url);
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function chooseOpener(url: string): [command: string, args: string[]] {
  if (platform() === 'darwin') return ['open', [url]];
  // `start` would interpret `&`, which URLs contain.
  if (platform() === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', url]];
  return ['xdg-open', [url]];
}
