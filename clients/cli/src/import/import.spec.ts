import { describe, expect, it } from '@jest/globals';
import { formatHeaders } from './findings.js';
import { readFirebase } from './firebase.js';
import { readCname } from './github-pages.js';
import { readNetlify } from './netlify.js';
import { convertDestination, convertSource } from './path-to-regexp.js';
import { readVercel } from './vercel.js';

const whats = (list: readonly { readonly what: string }[]) => list.map(({ what }) => what);

describe('netlify.toml', () => {
  it('imports the folder, redirects and headers', () => {
    const found = readNetlify(`
      [build]
      base = "web"
      publish = "dist"
      command = "npm run build"
      environment = { NODE_VERSION = "22", API_KEY = "secret" }
      [[redirects]]
      from = "/old/*"
      to = "/new/:splat"
      [[redirects]]
      from = "/store"
      to = "/items/:id"
      query = { id = ":id" }
      status = 302
      force = true
      [[redirects]]
      from = "/*"
      to = "/index.html"
      status = 200
      [[headers]]
      for = "/assets/*"
      values = { Cache-Control = "public, max-age=600", Link = ["<a>", "<b>"] }`);
    expect(found.folder).toBe('web/dist');
    expect(found.redirects).toEqual(['/old/* /new/:splat 301', '/store id=:id /items/:id 302!', '/* /index.html 200']);
    expect(formatHeaders(found.headers)).toBe(
      '/assets/*\n  Cache-Control: public, max-age=600\n  Link: <a>\n  Link: <b>',
    );
    expect(found.commands).toEqual(['stele secrets set API_KEY']);
    expect(JSON.stringify(found)).not.toContain('"secret"');
    expect(found.leftBehind).toEqual([]);
  });

  it('reports the settings that cannot be imported', () => {
    const found = readNetlify(`
      [build]
      base = "web"
      functions = "fns"
      edge_functions = "edge"
      ignore = "git diff"
      [build.processing.css]
      minify = true
      [functions]
      directory = "functions"
      [template]
      incoming-hooks = ["Contentful"]
      [[redirects]]
      from = "/api/*"
      to = "https://api.example.org/:splat"
      status = 200
      [[redirects]]
      from = "/"
      to = "/de"
      conditions = { Language = ["de"] }
      [[headers]]
      for = "*.js"
      values = { X-A = "b" }`);
    expect(found.redirects).toEqual([]);
    expect(whats(found.leftBehind)).toEqual([
      'rewrite /api/* → https://api.example.org/:splat',
      'redirect / → /de',
      'headers of *.js',
      'build.functions',
      'build.edge_functions',
      'build.ignore',
      'build.processing',
      'functions',
      'template',
    ]);
    expect(found.leftBehind.find(({ what }) => what === 'build.functions')?.why).toContain('Stele has no functions');
  });
});

describe('vercel.json', () => {
  it('imports the settings that have a counterpart', () => {
    const found = readVercel(
      JSON.stringify({
        outputDirectory: 'out',
        cleanUrls: true,
        redirects: [
          { source: '/blog/:slug', destination: '/news/:slug', permanent: true },
          { source: '/a/:path*', destination: '/b/:path*', permanent: false },
          { source: '/old', destination: 'https://example.org/', statusCode: 301 },
        ],
        rewrites: [{ source: '/(.*)', destination: '/index.html' }],
        headers: [{ source: '/static/(.*)', headers: [{ key: 'X-A', value: 'b\nc' }] }],
      }),
    );
    expect(found).toMatchObject({
      folder: 'out',
      redirects: [
        '/blog/:slug /news/:slug 308',
        '/a/* /b/:splat 307',
        '/old https://example.org/ 301',
        '/* /index.html 200',
      ],
      headers: [{ path: '/static/*', headers: [['X-A', 'b c']] }],
      leftBehind: [],
    });
  });

  it('reports the settings that cannot be imported', () => {
    const found = readVercel(
      JSON.stringify({
        $schema: 'https://openapi.vercel.sh/vercel.json',
        crons: [],
        constructor: {},
        ignoreCommand: 'exit 1',
        redirects: [
          { source: '/post/:id(\\d+)', destination: '/news/:id' },
          { source: '/x', has: [{ type: 'header', key: 'a' }], destination: '/y' },
        ],
        rewrites: { beforeFiles: [{ source: '/api/:path*', destination: 'https://api.example.org/:path*' }] },
      }),
    );
    expect(found.redirects).toEqual([]);
    expect(whats(found.leftBehind)).toEqual([
      'redirect /post/:id(\\d+) → /news/:id',
      'redirect /x → /y',
      'rewrite /api/* → https://api.example.org/:splat',
      'crons',
      'constructor',
      'ignoreCommand',
    ]);
    for (const { why } of found.leftBehind) expect(typeof why).toBe('string');
  });
});

describe('firebase.json', () => {
  it('imports the hosting settings of one site', () => {
    const found = readFirebase(
      JSON.stringify({
        hosting: {
          public: 'build',
          ignore: ['firebase.json', '**/.*', '**/node_modules/**', '**/*.map'],
          redirects: [
            { source: '/foo{,/**}', destination: '/bar' },
            { source: '/x/**', destination: '/y', type: 302 },
          ],
          rewrites: [
            { source: '/api/**', function: 'api' },
            { source: '**', destination: '/index.html' },
          ],
          headers: [{ source: '**/*.@(jpg|png)', headers: [{ key: 'Cache-Control', value: 'max-age=7200' }] }],
          appAssociation: 'NONE',
          i18n: { root: '/l' },
          target: 'blog',
        },
        firestore: {},
      }),
    );
    expect(found).toMatchObject({
      folder: 'build',
      ignored: ['**/.*', '**/*.map'],
      redirects: ['/x/* /y 302', '/* /index.html 200'],
      headers: [],
    });
    expect(whats(found.leftBehind)).toEqual([
      'redirect /foo{,/**} → /bar',
      'rewrite /api/**',
      'headers of **/*.@(jpg|png)',
      'appAssociation',
      'i18n',
      'firestore',
    ]);
  });
});

describe('CNAME', () => {
  it('a CNAME file becomes a command that adds its domain to the site', () => {
    expect(readCname('www.Example.org\n', 'CNAME').commands).toEqual(['stele domains add www.example.org']);
    expect(readCname('not a name; rm -rf /\n', 'CNAME')).toMatchObject({
      commands: [],
      leftBehind: [{ what: 'CNAME' }],
    });
  });
});

describe('paths', () => {
  it.each([
    ['/a/:path*', '/a/*', 'path'],
    ['/(.*)', '/*', '1'],
    ['/a/**', '/a/*', '1'],
    ['/a/:id', '/a/:id', null],
  ])('the source path %s becomes %s', (source, path, splat) => expect(convertSource(source)).toEqual({ path, splat }));

  it.each(['/a/(b|c)', '/a*b', '/:id(\\d+)', '/a?', 'a'])('the source path %s has no counterpart', (source) =>
    expect(convertSource(source)).toBeNull(),
  );

  it('the rest of the path is named :splat in the destination', () => {
    expect(convertDestination('/b/:path*', 'path')).toBe('/b/:splat');
    expect(convertDestination('/b/$1', '1')).toBe('/b/:splat');
    expect(convertDestination('/b/$2', '1')).toBeNull();
  });
});
