/** Rules for imports. Each rule forbids one dependency. */
const only = (room, allowed, comment) => ({
  name: `${room
    .replace(/[\^/]+/g, ' ')
    .trim()
    .replace(' ', '-')}-imports-only-what-it-may`,
  comment,
  severity: 'error',
  from: { path: room, pathNot: '\\.(spec|db-spec)\\.ts$' },
  to: { pathNot: [room, ...allowed] },
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
      comment: 'Two files that need each other are one file.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    only(
      '^src/events/',
      ['^src/kernel/output/quantities', zod],
      'Events depend on nothing but the words of their summaries.',
    ),
    only(
      '^src/kernel/',
      [],
      'How anything is decided depends on no library, no platform and no database: PostgreSQL is known in its own rooms.',
    ),
    only(
      '^src/edge/browser/',
      [],
      'What our own pages run in a browser is served as it is: it knows no Node and no other room.',
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
      'An engine stores events; it does not know them by name.',
    ),
    only(
      '^src/storage/blobs/',
      ['^src/(kernel|storage/postgres)/', pg, lruCache, node],
      'Content knows digests, not sites.',
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
      'A body becomes checked, stored files without Nest, without Fastify and without knowing whose site they are for.',
    ),
    only(
      '^src/content/sitefiles/',
      ['^src/kernel/', '^node:timers/promises$', '^timers/promises$'],
      'What a site says in files of its own is text and rules.',
    ),
    only(
      '^src/content/generation/',
      ['^src/kernel/', zod, node, '^node_modules/parse5/'],
      'Pages are made and judged as trees, without knowing who asks and where they are published.',
    ),
    only(
      '^src/storage/postgres/',
      ['^src/kernel/', pg, '^node_modules/pg-connection-string/', node],
      'How PostgreSQL is reached, locked and understood: it knows no table of ours.',
    ),
    only(
      '^src/storage/postgres/embedded/',
      [pg, node],
      'The server that comes along is a package of its own: it could live in another repository.',
    ),
    only(
      '^src/storage/tables/',
      ['^src/(kernel|storage/postgres)/', pg, node],
      'What all tables beside the log have in common: how they are created, opened and cleaned.',
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
      'People and their credentials are used by every module and know none.',
    ),
    only(
      '^src/storage/cluster/',
      ['^src/(kernel|storage/postgres)/', pg, '^node_modules/ioredis/', node],
      'Other processes are told of positions, never of events.',
    ),
    only(
      '^src/adapters/',
      [
        '^src/kernel/',
        '^node_modules/(ipaddr\\.js|nodemailer|@types/nodemailer|maxmind|jose|oidc-provider|openai|openid-client)/',
        node,
      ],
      'What we borrow stands behind a port.',
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
      'Where foreign code runs knows commands and limits, not whose site they are for.',
    ),
    only(
      '^src/projections/',
      ['^src/(events|kernel|storage/postgres)/', pg, '^node_modules/(@types/)?pg-copy-streams/', typeorm, node],
      'A read model is made of events, never of another module’s code.',
    ),
    only(
      '^src/edge/live/',
      ['^src/kernel/', '^src/edge/http/negotiation/', nest, node, '^node_modules/(ws|@types/ws)/'],
      'A frame is made of an event, whichever it is.',
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
      'HTTP serves every module and imports none; of the accounts it uses the tables that say who calls and what was answered.',
    ),
    only(
      '^src/nest/',
      ['^src/kernel/', '^src/storage/tables/', nest, zod, node],
      'Where Nest meets the kernel and the tables, and nothing else.',
    ),
    only(
      '^src/edge/fast/',
      [
        '^src/edge/http/(proxy|server)/',
        '^src/kernel/(faults/ignored-fault|ports/served-program)',
        '^node_modules/koffi/',
        node,
      ],
      'Hand-written HTTP knows the ports that it stands behind, and nothing of sites.',
    ),
    {
      name: 'fast-path-behind-its-doors',
      comment: 'Hand-written HTTP is used by three files alone, and is switched off in the places that choose them.',
      severity: 'error',
      from: { pathNot: '^src/edge/fast/' },
      to: {
        path: '^src/edge/fast/',
        pathNot: '^src/edge/fast/(fast-connections|fast-server-connections|sendfile)\\.ts$',
      },
    },
    {
      name: 'fast-path-is-chosen-in-one-place',
      comment: 'STELE_FAST_PATH=off bypasses all of it: only what reads the setting knows that it exists.',
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
      'A module consists of events, rules, read models, tables and ports; engines are chosen elsewhere.',
    ),
    {
      name: 'a-decision-is-pure',
      comment: 'A rule knows events, state and refusals. No framework, no database, no clock, no Node.',
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
      comment: 'Everything else depends on the port.',
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
      name: 'the-process-knows-all-and-nothing-knows-it',
      comment:
        'What the process is made of is put together in one place; code that needs something of it has it injected.',
      severity: 'error',
      from: { pathNot: ['^src/(process|operator)/', '^src/(app\\.module|main|service|start)\\.ts$', '^test/'] },
      to: { path: '^src/process/' },
    },
    {
      name: 'clients-do-not-import-the-product',
      comment: 'A client knows only what /openapi.json says, as the clients of others do.',
      severity: 'error',
      from: { path: '^clients/' },
      to: { path: '^(src|test|tools|dist)/' },
    },
    {
      name: 'the-product-does-not-import-clients',
      comment: 'The product is installed without them.',
      severity: 'error',
      from: { path: '^(src|test)/' },
      to: { path: '^clients/' },
    },
    {
      name: 'the-api-client-does-not-know-the-command',
      comment: 'Programs use it without a terminal.',
      severity: 'error',
      from: { path: '^clients/api/' },
      to: { path: '^clients/(cli/|node_modules/(commander|@clack|@bomb\\.sh)/)' },
    },
    {
      name: 'nothing-undeclared',
      comment: 'What is imported is in package.json.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
    },
    {
      name: 'nothing-of-development-in-the-product',
      comment: 'The product runs without devDependencies.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.(spec|db-spec)\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'type-only'] },
    },
    {
      name: 'nothing-that-builds-in-the-product',
      comment: 'What builds a checkout is a dependency of it, and is taken out of the image.',
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
