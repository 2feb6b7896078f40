import { homedir, platform } from 'node:os';
import { join } from 'node:path';

type Environment = NodeJS.ProcessEnv;

/** Returns the user's home folder. If there is none, returns `/nonexistent`, which Debian uses for such users. */
export function homeFolder(): string {
  try {
    return homedir();
  } catch {
    // `homedir` throws if the system does not know the user, which can happen in containers.
    return '/nonexistent';
  }
}

/** The folder for credentials: `~/.config/stele`, or `%APPDATA%\stele` on Windows. */
export function configFolder(environment: Environment = process.env): string {
  if (environment.XDG_CONFIG_HOME) return join(environment.XDG_CONFIG_HOME, 'stele');
  if (platform() === 'win32' && environment.APPDATA) return join(environment.APPDATA, 'stele');
  return join(homeFolder(), '.config', 'stele');
}

/** The folder for data that can be deleted at any time: hashes of files, and tokens of unfinished uploads. */
export function cacheFolder(environment: Environment = process.env): string {
  if (environment.XDG_CACHE_HOME) return join(environment.XDG_CACHE_HOME, 'stele');
  if (platform() === 'win32' && environment.LOCALAPPDATA) return join(environment.LOCALAPPDATA, 'stele', 'cache');
  return join(homeFolder(), '.cache', 'stele');
}
