import type { OfferedCommand } from './offered-command.js';

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * The script behind `curl -fsSL HOST/cli/install.sh | sh`. It checks that Node is there, and installs exactly the
 * archive that this process offers, which it recognizes by its SHA-256.
 */
export const renderInstallScript = (
  baseUrl: string,
  { version, sha256, fileName }: Pick<OfferedCommand, 'version' | 'sha256' | 'fileName'>,
) => `#!/bin/sh
# Installs stele ${version}, the command of ${baseUrl}, to ~/.local/bin. It needs Node 22 or later.
set -eu

instance=${quote(baseUrl)}
archive=${quote(`${baseUrl}/cli/${fileName}`)}
sha256=${sha256}

fail() {
  echo "$1" >&2
  exit 1
}

# Everything is in a function, so that a download that breaks off runs nothing.
install_stele() {
  command -v node >/dev/null 2>&1 || fail 'stele needs Node 22 or later, which is not installed: https://nodejs.org'
  node -e 'process.exit(parseInt(process.versions.node, 10) < 22 ? 1 : 0)' ||
    fail "stele needs Node 22 or later. This is Node $(node --version): https://nodejs.org"

  bin=$HOME/.local/bin
  share=$HOME/.local/share/stele
  mkdir -p "$bin" "$share"
  new=$(mktemp -d "$share/new.XXXXXX")
  trap 'rm -rf "$new"' EXIT

  curl -fsSL -o "$new/stele.tgz" "$archive" || fail "Downloading $archive failed."
  node -e '
    const { createHash } = require("crypto");
    const { readFileSync } = require("fs");
    const [file, expected] = process.argv.slice(1);
    process.exit(createHash("sha256").update(readFileSync(file)).digest("hex") === expected ? 0 : 1);
  ' "$new/stele.tgz" "$sha256" || fail 'The download is damaged, or the instance was updated meanwhile. Try again.'
  tar -xzf "$new/stele.tgz" -C "$new"

  # Renaming replaces an earlier version at once, also while it runs.
  chmod 755 "$new/package/dist/stele.cjs"
  mv -f "$new/package/dist/stele.cjs" "$share/stele.cjs"
  ln -sf "$share/stele.cjs" "$new/stele"
  mv -f "$new/stele" "$bin/stele"

  echo "Installed stele ${version} to $bin/stele."
  "$bin/stele" instances add "$instance" --quiet >/dev/null || true
  case ":$PATH:" in
    *":$bin:"*) ;;
    *) echo "$bin is not in your PATH. Add this line to the profile of your shell:
  export PATH=\\"\\$HOME/.local/bin:\\$PATH\\"" ;;
  esac
  echo 'Publish a folder:
  stele deploy FOLDER'
}

install_stele
`;
