import type { OfferedCommand } from './offered-command.js';

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Renders the script for `curl -fsSL HOST/cli/install.sh | sh`. The script checks the version of Node, and installs
 * exactly the archive that this process offers, whose SHA-256 it verifies.
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

# Everything is in a function, so that an incomplete download of this script runs nothing.
install_stele() {
  command -v node >/dev/null 2>&1 || fail 'stele needs Node 22 or later, which is not installed. Get it from https://nodejs.org'
  node -e 'process.exit(parseInt(process.versions.node, 10) < 22 ? 1 : 0)' ||
    fail "stele needs Node 22 or later, and this is Node $(node --version). Get it from https://nodejs.org"

  bin=$HOME/.local/bin
  share=$HOME/.local/share/stele
  for folder in "$bin" "$share"; do
    mkdir -p "$folder" 2>/dev/null && [ -w "$folder" ] || fail "Could not write to $folder, so stele was not installed."
  done
  new=$(mktemp -d "$share/new.XXXXXX" 2>/dev/null) || fail "Could not write to $share, so stele was not installed."
  trap 'rm -rf "$new"' EXIT

  curl -fsSL -o "$new/stele.tgz" "$archive" || fail "$archive could not be downloaded."
  node -e '
    const { createHash } = require("crypto");
    const { readFileSync } = require("fs");
    const [file, expected] = process.argv.slice(1);
    process.exit(createHash("sha256").update(readFileSync(file)).digest("hex") === expected ? 0 : 1);
  ' "$new/stele.tgz" "$sha256" || fail 'The download is damaged, or the instance was updated in the meantime. Try again.'
  tar -xzf "$new/stele.tgz" -C "$new"

  node "$new/package/dist/stele.cjs" --help >/dev/null || fail "The command of $instance does not work. Tell its operator."

  # Renaming replaces an earlier version in one step, even while it is running.
  chmod 755 "$new/package/dist/stele.cjs"
  mv -f "$new/package/dist/stele.cjs" "$share/stele.cjs"
  ln -sf "$share/stele.cjs" "$new/stele"
  mv -f "$new/stele" "$bin/stele"

  echo "Installed stele ${version} to $bin/stele."
  "$bin/stele" instances add "$instance" --quiet >/dev/null || true
  case ":$PATH:" in
    *":$bin:"*) ;;
    *) echo "$bin is not in your PATH. Add this line to your shell profile:
  export PATH=\\"\\$HOME/.local/bin:\\$PATH\\"" ;;
  esac
  echo 'To publish a folder, run:
  stele deploy FOLDER'
}

install_stele
`;
