import { readFileSync, writeFileSync } from 'node:fs';

// Run `node tools/complete-lock.ts` after `npm install` has changed package-lock.json.
//
// If the registry in use (an outdated mirror) lacks packages for other platforms, npm omits them from the lock file,
// and then every `npm ci` rejects the file as incomplete. Packages for other platforms are never downloaded, so npm
// needs only an entry with the version, which is in `optionalDependencies`.
type LockedPackage = {
  version?: string;
  cpu?: string[];
  dev?: boolean;
  libc?: string[];
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
  os?: string[];
};

const file = new URL('../package-lock.json', import.meta.url);
const lock: { packages: Record<string, LockedPackage> } = JSON.parse(readFileSync(file, 'utf8'));
const named =
  /(android|darwin|freebsd|linux|openharmony|win32)-(arm64|arm|x64|ia32|ppc64|riscv64|s390x|loong64)(?:-(gnu|musl|msvc|\w*eabi\w*))?$/;

const added: string[] = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '') continue;
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const platform = named.exec(name);
    if (isListed(path, name) || !platform || !/^\d+\.\d+\.\d+/.test(version)) continue;
    const [, os = '', cpu = '', abi = ''] = platform;
    const libc = abi.startsWith('musl') ? ['musl'] : abi.startsWith('gnu') ? ['glibc'] : null;
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu: [cpu],
      ...(entry.dev && { dev: true }),
      ...(libc && { libc }),
      optional: true,
      os: [os],
    };
    added.push(`${name}@${version}`);
  }
}

lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length ? `Added to package-lock.json:\n${added.join('\n')}` : 'package-lock.json is complete.');

/** Reports whether Node finds a package: next to the package that needs it, or in a node_modules folder further up. */
function isListed(path: string, name: string): boolean {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (lock.packages[`${at}/node_modules/${name}`]) return true;
  }
  return Boolean(lock.packages[`node_modules/${name}`]);
}
