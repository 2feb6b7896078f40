/** Rules for imports. `only` forbids a folder from importing anything except itself and the given paths. */
const only = (folder, allowed, comment) => ({
  name: `limited-imports-of-${folder
    .replace(/[\^/]+/g, ' ')
    .trim()
    .replaceAll(' ', '-')}`,
  comment,
  severity: 'error',
  from: { path: folder, pathNot: '\\.(spec|db-spec)\\.ts$' },
  to: { pathNot: [folder, ...allowed] },
});

const zod = '^node_modules/zod/';
const nest = '^node_modules/(@nestjs|rxjs|reflect-metadata)/';
const fastify = '^node_modules/fastify/';
const typeorm = '^node_modules/(@nestjs/typeorm|typeorm)/';
const lruCache = '^node_modules/lru-cache/';
const pg = '^node_modules/(pg|pg-types|@types/pg)/';
const node =
  '^(node:)?(assert|buffer|child_process|crypto|dns/promises|events|fs|fs/promises|http|https|module|net|os|path|stream|stream/consumers|stream/promises|stream/web|string_decoder|timers/promises|tls|url|util|zlib)$';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Merge files that import each other, or move what both need into a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    only(
      '^src/events/',
      ['^src/kernel/output/quantities', zod],
      'Event types depend only on zod and on the helpers that format their summaries.',
    ),
    only(
      '^src/kernel/',
      [],
      'The kernel uses no library, no Node API and no database. Code for PostgreSQL is in src/storage/postgres.',
    ),
    only(
      '^src/edge/browser/',
      [],
      'Code for browsers is served without bundling, so it must not import Node modules or other folders.',
    ),
    only(
      '^src/storage/store/',
      [
        '^src/(kernel|storage/postgres)/',
        '^src/events/(event-type|catalogue)',
        pg,
        lruCache,
        '^node_modules/@eventstore/db-client/',
        node,
      ],
      'An event store does not depend on individual event types.',
    ),
    only(
      '^src/storage/blobs/',
      ['^src/(kernel|storage/postgres)/', pg, lruCache, node],
      'The blob store knows only digests, not sites.',
    ),
    only(
      '^src/content/uploads/',
      [
        '^src/(kernel|content/sitefiles)/',
        '^src/storage/blobs/(blob-store|manifest)',
        zod,
        node,
        '^node_modules/(tar|yauzl|@types/yauzl)/',
      ],
      'Uploads are checked and stored without Nest, Fastify or knowledge of the site.',
    ),
    only(
      '^src/content/sitefiles/',
      ['^src/kernel/', '^node:timers/promises$', '^timers/promises$'],
      'Files such as _headers and _redirects are parsed by pure functions.',
    ),
    only(
      '^src/content/generation/',
      ['^src/kernel/', zod, node, '^node_modules/parse5/'],
      'Page generation does not depend on callers or on publishing.',
    ),
    only(
      '^src/storage/postgres/',
      ['^src/kernel/', pg, '^node_modules/pg-connection-string/', node],
      'Connections, locks and errors of PostgreSQL, independent of any table.',
    ),
    only(
      '^src/storage/postgres/embedded/',
      [pg, node],
      'The embedded PostgreSQL is self-contained, so that it could become a package.',
    ),
    only(
      '^src/storage/tables/',
      ['^src/(kernel|storage/postgres)/', pg, node],
      'How tables outside the log are created, opened and cleaned, independent of any table.',
    ),
    only(
      '^src/accounts/',
      [
        '^src/(kernel|storage/postgres|storage/tables)/',
        '^src/nest/features',
        '^node_modules/@nestjs/common/',
        pg,
        node,
      ],
      'Every module uses the accounts, so the accounts import no module.',
    ),
    only(
      '^src/storage/cluster/',
      ['^src/(kernel|storage/postgres)/', pg, '^node_modules/ioredis/', node],
      'Processes send each other positions in the log, never events.',
    ),
    only(
      '^src/adapters/',
      [
        '^src/kernel/',
        '^node_modules/(ipaddr\\.js|nodemailer|@types/nodemailer|maxmind|jose|oidc-provider|openai|openid-client)/',
        node,
      ],
      'Each adapter implements a port with an external library or service.',
    ),
    only(
      '^src/sandbox/',
      [
        '^src/(kernel|storage/postgres)/',
        '^src/adapters/network/',
        lruCache,
        node,
        '^node_modules/(dockerode|@types/dockerode|ipaddr\\.js|tar)/',
      ],
      'Sandboxes know commands and limits, not sites.',
    ),
    only(
      '^src/projections/',
      ['^src/(events|kernel|storage/postgres)/', pg, '^node_modules/(@types/)?pg-copy-streams/', typeorm, node],
      'A read model depends only on events, not on the code of a module.',
    ),
    only(
      '^src/edge/live/',
      ['^src/kernel/', '^src/edge/http/negotiation/', nest, node, '^node_modules/(ws|@types/ws)/'],
      'Live streams do not depend on individual event types.',
    ),
    only(
      '^src/edge/http/',
      [
        '^src/(edge/browser|kernel)/',
        '^src/storage/postgres/database-fault',
        '^src/accounts/(people/(people|sessions|mailed-links)|tokens/(connector-tokens|access-tokens)|idempotency/)',
        nest,
        fastify,
        zod,
        node,
        lruCache,
        '^node_modules/(light-my-request|mime-types|@types/mime-types|rate-limiter-flexible|ioredis|prom-client|passport|@types/passport|passport-magic-login|tldts)/',
      ],
      'Every module uses the HTTP layer, so it imports no module. Of the accounts, it uses only the tables for credentials and stored responses.',
    ),
    only(
      '^src/nest/',
      ['^src/kernel/', '^src/storage/tables/', nest, zod, node],
      'Connects Nest to the kernel and the tables only.',
    ),
    only(
      '^src/edge/fast/',
      [
        '^src/edge/http/(proxy|server)/',
        '^src/kernel/(faults/ignored-fault|ports/served-deploy)',
        '^node_modules/koffi/',
        node,
      ],
      'The fast path for HTTP depends only on ports, not on sites.',
    ),
    {
      name: 'fast-path-has-three-entry-files',
      comment:
        'Only three files of the fast path can be imported, because STELE_FAST_PATH=off must be able to replace them.',
      severity: 'error',
      from: { pathNot: '^src/edge/fast/' },
      to: {
        path: '^src/edge/fast/',
        pathNot: '^src/edge/fast/(fast-connections|fast-server-connections|sendfile)\\.ts$',
      },
    },
    {
      name: 'fast-path-is-chosen-in-one-place',
      comment: 'Only the code that reads STELE_FAST_PATH imports the fast path, so that `off` bypasses all of it.',
      severity: 'error',
      from: { pathNot: ['^src/edge/fast/', '^src/service\\.ts$', '^src/process/engines\\.ts$', '^(test|bench)/'] },
      to: { path: '^src/edge/fast/' },
    },
    only(
      '^src/modules/',
      [
        '^src/(accounts|content|edge|events|kernel|projections)/',
        '^src/storage/(postgres|tables)/',
        '^src/nest/',
        '^src/storage/blobs/(blob-store|manifest)',
        '^src/settings/',
        nest,
        fastify,
        typeorm,
        zod,
        pg,
        lruCache,
        node,
        '^node_modules/(@modelcontextprotocol/(node|server)|croner|@netlify/build-info|smol-toml|pg-copy-streams|@types/pg-copy-streams|yazl|@types/yazl|feed|markdown-it|prom-client|tldts|isbot|bowser|diff)/',
      ],
      'Modules depend on ports. Only src/process/engines.ts chooses their implementations.',
    ),
    {
      name: 'a-decision-is-pure',
      comment:
        'Decisions and rules depend only on events, state and refusals, not on a framework, database, clock or Node.',
      severity: 'error',
      from: { path: '^src/modules/.+\\.(decide|rule)\\.ts$' },
      to: { pathNot: ['^src/events/', '^src/kernel/', '^src/modules/.+\\.state\\.ts$', '\\.(decide|rule)\\.ts$'] },
    },
    {
      name: 'modules-import-only-the-api-of-others',
      comment: 'Of another module, only its folder `api` can be imported.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/', pathNot: '\\.module\\.ts$' },
      to: { path: '^src/modules/', pathNot: ['^src/modules/$1/', '^src/modules/[^/]+/api/'] },
    },
    {
      name: 'module-files-import-module-files',
      comment: 'A module file imports the module files whose providers its module injects.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/[^/]+\\.module\\.ts$' },
      to: { path: '^src/modules/', pathNot: ['^src/modules/$1/', '^src/modules/[^/]+/[^/]+\\.module\\.ts$'] },
    },
    {
      name: 'sites-imports-no-module',
      comment: 'Every module can use `sites`, so no cycle is possible if `sites` uses none.',
      severity: 'error',
      from: { path: '^src/modules/sites/' },
      to: { path: '^src/modules/', pathNot: '^src/modules/sites/' },
    },
    {
      name: 'engines-are-chosen-in-one-place',
      comment: 'All other code depends on the port, not on an engine.',
      severity: 'error',
      from: {
        pathNot: [
          '^src/(storage|sandbox|operator)/',
          '^src/process/engines\\.ts$',
          '^test/',
          '\\.(spec|db-spec)\\.ts$',
        ],
      },
      to: { path: '\\.engine\\.ts$' },
    },
    {
      name: 'only-entry-points-import-the-process',
      comment: 'src/process assembles the process. Other code gets its parts injected.',
      severity: 'error',
      from: { pathNot: ['^src/(process|operator)/', '^src/(app\\.module|main|service|start)\\.ts$', '^test/'] },
      to: { path: '^src/process/' },
    },
    {
      name: 'clients-do-not-import-the-product',
      comment: 'Clients depend only on /openapi.json.',
      severity: 'error',
      from: { path: '^clients/' },
      to: { path: '^(src|test|tools|dist)/' },
    },
    {
      name: 'the-product-does-not-import-clients',
      comment: 'The service is installed without its clients.',
      severity: 'error',
      from: { path: '^(src|test)/' },
      to: { path: '^clients/' },
    },
    {
      name: 'the-api-client-does-not-import-the-command',
      comment: 'Programs use clients/api without a terminal.',
      severity: 'error',
      from: { path: '^clients/api/' },
      to: { path: '^clients/(cli/|node_modules/(commander|@clack|@bomb\\.sh)/)' },
    },
    {
      name: 'declared-packages-only',
      comment: 'Every imported package must be listed in package.json.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
    },
    {
      name: 'no-development-packages-in-the-product',
      comment: 'The service runs without devDependencies.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.(spec|db-spec)\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'type-only'] },
    },
    {
      name: 'no-build-tools-in-the-product',
      comment:
        'Build tools are dependencies because `npm start` needs them in a clone, but the image does not contain them.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.(spec|db-spec)\\.ts$' },
      to: { path: '^node_modules/(@swc|rolldown|typescript)/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|node_modules/\\.)' },
  },
};
