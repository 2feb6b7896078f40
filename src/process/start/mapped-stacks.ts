import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Source maps, keyed by the URL of the script. The value is null for a script without a map. */
const maps = new Map<string, SourceMap | null>();

/**
 * Makes stack traces refer to lines of src, like `node --enable-source-maps`. That option costs an eighth of the CPU
 * time of each start, because it reads all maps and searches all scripts for line breaks. Here, a map is read only
 * when a stack trace first refers to its script.
 */
export function mapStackTraces(): void {
  Error.prepareStackTrace = (error, sites) =>
    [headerOf(error), ...sites.map((site) => `    at ${mapped(site)}`)].join('\n');
}

function headerOf(error: Error): string {
  try {
    return String(error);
  } catch {
    return '<error>';
  }
}

function mapped(site: NodeJS.CallSite): string {
  const shown = String(site);
  const [script, line, column] = [site.getScriptNameOrSourceURL(), site.getLineNumber(), site.getColumnNumber()];
  if (!script?.startsWith('file:') || line === null || column === null) return shown;
  const entry = mapOf(script)?.findEntry(line - 1, column - 1);
  if (!entry || !('originalSource' in entry)) return shown;
  const source = fileURLToPath(new URL(entry.originalSource, script));
  const original = `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  return shown.replace(`${script}:${line}:${column}`, () => original);
}

function mapOf(script: string): SourceMap | null {
  const known = maps.get(script);
  if (known !== undefined) return known;
  const read = readMap(script);
  maps.set(script, read);
  return read;
}

/** Treats an unreadable map as missing, because a stack trace without source lines is better than none. */
function readMap(script: string): SourceMap | null {
  try {
    const file = `${fileURLToPath(script)}.map`;
    return existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : null;
  } catch {
    return null;
  }
}
