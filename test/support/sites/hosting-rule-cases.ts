/**
 * Sources of the expected behavior: documentation and open-source parsers of hosting services, and this project's own
 * documentation.
 */
const from = {
  options: 'https://docs.netlify.com/routing/redirects/redirect-options/',
  syntax: 'https://docs.netlify.com/routing/redirects/',
  rewrites: 'https://docs.netlify.com/routing/redirects/rewrites-proxies/',
  netlifyHeaders: 'https://docs.netlify.com/routing/headers/',
  parser: 'https://github.com/netlify/build/tree/main/packages/redirect-parser/tests',
  headersParser: 'https://github.com/netlify/build/tree/main/packages/headers-parser/tests',
  queries: 'https://github.com/netlify/cli/pull/2017',
  guide:
    'https://answers.netlify.com/t/support-guide-making-redirects-work-for-you-troubleshooting-and-debugging/13433/',
  cloudflare: 'https://developers.cloudflare.com/pages/configuration/redirects/',
  cloudflareHeaders: 'https://developers.cloudflare.com/pages/configuration/headers/',
  cloudflareParser: 'https://github.com/cloudflare/workers-sdk/tree/main/packages/workers-shared/utils/configuration',
  interface: 'docs/interface/serving.md, "Which file is shown"',
} as const;

type Source = keyof typeof from;

export type Row = {
  readonly site: SiteOfRows;
  readonly request: string;
  readonly expected: string;
  readonly source: string;
};

export type SiteOfRows = {
  readonly redirects: string;
  readonly headers: string;
  /** Paths of the site's files. The content of each file is its own path. */
  readonly files: readonly string[];
  /** Lines that the service ignores, such as `_redirects:2`. A deploy warns about them. */
  readonly ignored: readonly string[];
  /**
   * Valid lines that never apply, for example because the site has a file at that path. A deploy warns about them too.
   */
  readonly ineffective: readonly string[];
};

type Rows = readonly (readonly [request: string, expected: string, source: Source])[];
type Given = {
  redirects?: string;
  headers?: string;
  files?: readonly string[];
  ignored?: readonly string[];
  ineffective?: readonly string[];
  rows: Rows;
};

/**
 * Expected responses of sites. `301 /there` and `200 index.html` are a status with a destination or a file. `404` alone
 * is the service's own page. For `_headers`, the headers that the site sets are listed in alphabetical order.
 */
const given: readonly Given[] = [
  {
    redirects: `
      # Lists the original path, then the new one
      /home              /
      /blog/my-post.php  /blog/my-post
      /news              /blog # an inline comment
      /cuties            https://www.petsofnetlify.com`,
    files: ['index.html', 'blog.html'],
    rows: [
      ['/home', '301 /', 'syntax'],
      ['/blog/my-post.php', '301 /blog/my-post', 'syntax'],
      ['/news', '301 /blog', 'parser'],
      ['/cuties', '301 https://www.petsofnetlify.com/', 'syntax'],
      ['/blog', '200 blog.html', 'syntax'],
      ['/unknown', '404', 'syntax'],
      ['/home?utm=a', '301 /?utm=a', 'queries'],
      ['/cuties?a=1&b=2', '301 https://www.petsofnetlify.com/?a=1&b=2', 'options'],
    ],
  },
  {
    redirects: `
      /home         /              301
      /my-redirect  /              302
      /ecommerce    /store-closed  404
      /pass-through /index.html    200
      /gone         /farewell      410
      /gone-too     /no-such-page  410
      /nowhere      /no-such-page  200`,
    files: ['index.html', 'store-closed.html', 'farewell.html', '404.html'],
    ineffective: ['_redirects:8'],
    rows: [
      ['/home', '301 /', 'options'],
      ['/my-redirect', '302 /', 'options'],
      ['/ecommerce', '404 store-closed.html', 'options'],
      ['/pass-through', '200 index.html', 'options'],
      ['/gone', '410 farewell.html', 'options'],
      ['/gone-too', '410', 'interface'],
      ['/nowhere', '404 404.html', 'options'],
    ],
  },
  {
    redirects: '/home301 / 301\n/home302 / 302\n/home303 / 303\n/home307 / 307\n/home308 / 308\n/teapot / 418\n/a / x',
    files: ['index.html'],
    ignored: ['_redirects:6', '_redirects:7'],
    rows: [
      ['/home301', '301 /', 'cloudflare'],
      ['/home302', '302 /', 'cloudflare'],
      ['/home303', '303 /', 'cloudflare'],
      ['/home307', '307 /', 'cloudflare'],
      ['/home308', '308 /', 'cloudflare'],
      ['/teapot', '404', 'cloudflareParser'],
      ['/a', '404', 'parser'],
    ],
  },
  {
    redirects: `/home301 / 301
/home302 / 302
/querystrings /?query=string 301
/twitch https://twitch.tv
/trailing /trailing/ 301
/notrailing/ /nottrailing 301
/page/ /page2/#fragment 301
/blog/* https://blog.my.domain/:splat
/products/:code/:name /products?code=:code&name=:name`,
    rows: [
      ['/querystrings', '301 /?query=string', 'cloudflare'],
      ['/querystrings?other=1', '301 /?query=string', 'queries'],
      ['/twitch', '301 https://twitch.tv/', 'cloudflare'],
      ['/trailing', '301 /trailing/', 'cloudflare'],
      ['/trailing/', '404', 'cloudflare'],
      ['/notrailing/', '301 /nottrailing', 'cloudflare'],
      ['/page/', '301 /page2/#fragment', 'cloudflare'],
      ['/page/?a=1', '301 /page2/?a=1#fragment', 'cloudflare'],
      ['/blog/', '301 https://blog.my.domain/', 'cloudflare'],
      ['/blog/2004/01/story', '301 https://blog.my.domain/2004/01/story', 'cloudflare'],
      ['/blog/2004/', '301 https://blog.my.domain/2004/', 'cloudflare'],
      ['/products/42/socks', '301 /products?code=42&name=socks', 'cloudflare'],
      ['/products/a%26b/c%20d', '301 /products?code=a%26b&name=c%20d', 'cloudflare'],
      ['/products/42', '404', 'cloudflare'],
      ['/products/42/socks/red', '404', 'cloudflare'],
    ],
  },
  {
    redirects: '/movies/:title /media/:title\n/a /b 200\n/b /c 200\n/users/:id /users/[id] 200',
    files: ['media/index.html', 'c.html', 'users/[id].html'],
    ineffective: ['_redirects:2'],
    rows: [
      ['/movies/alien', '301 /media/alien', 'cloudflare'],
      ['/movies/', '404', 'cloudflare'],
      ['/a', '404', 'cloudflare'],
      ['/b', '200 c.html', 'cloudflare'],
      ['/users/123', '200 users/[id].html', 'cloudflare'],
    ],
  },
  {
    redirects: '/news/:month/:date/:year/:slug /blog/:year/:month/:date/:slug\n/news/* /blog/:splat',
    rows: [
      ['/news/02/12/2004/my-story', '301 /blog/2004/02/12/my-story', 'options'],
      ['/news/02/12/2004/my-story.html', '301 /blog/2004/02/12/my-story.html', 'options'],
      ['/news/2004/01/10/a/b', '301 /blog/2004/01/10/a/b', 'options'],
      ['/news/x', '301 /blog/x', 'options'],
      ['/news', '301 /blog/', 'options'],
      ['/newspaper', '404', 'options'],
      ['/news/%C3%A9t%C3%A9/x', '301 /blog/%C3%A9t%C3%A9/x', 'options'],
    ],
  },
  {
    redirects: `
      /store id=:id  /blog/:id  301
      /articles id=:id tag=:tag /posts/:tag/:id 301
      /path/* param1=:value1 /otherpath/:value1/:splat 301
      /path/* param2=:value2 /otherpath/:value2/:splat 301
      /path/* param1=:value1 param2=:value2 /otherpath/:value1/:value2/:splat 301
      /path/* /otherpath/:splat 301
      /blog post=:id /news?post=:id 302
      /test id=:id /?param=:id
      / page=news /news
      / _escaped_fragment_=/about /about`,
    rows: [
      ['/store?id=my-blog-post', '301 /blog/my-blog-post', 'options'],
      ['/store', '404', 'options'],
      ['/store?other=1', '404', 'options'],
      ['/store?id=a&other=1', '404', 'options'],
      ['/store?id=', '404', 'options'],
      ['/articles?id=1&tag=x', '301 /posts/x/1', 'options'],
      ['/articles?tag=x&id=1', '301 /posts/x/1', 'options'],
      ['/articles?id=1', '404', 'options'],
      ['/path/a?param1=x', '301 /otherpath/x/a', 'options'],
      ['/path/a?param2=y', '301 /otherpath/y/a', 'options'],
      ['/path/a?param2=y&param1=x', '301 /otherpath/x/y/a', 'options'],
      ['/path/a', '301 /otherpath/a', 'options'],
      ['/path/a?param3=z', '301 /otherpath/a?param3=z', 'queries'],
      ['/blog?post=7', '302 /news?post=7', 'queries'],
      ['/test?id=7', '301 /?param=7', 'queries'],
      ['/?page=news', '301 /news', 'parser'],
      ['/?page=other', '404', 'parser'],
      ['/?_escaped_fragment_=/about', '301 /about', 'parser'],
    ],
  },
  {
    redirects: '/* /index.html 200',
    files: ['index.html', 'partials/chat.html', 'docs/index.html'],
    rows: [
      ['/', '200 index.html', 'rewrites'],
      ['/any/deep/page', '200 index.html', 'rewrites'],
      ['/any?a=1', '200 index.html', 'rewrites'],
      ['/partials/chat.html', '200 partials/chat.html', 'rewrites'],
      ['/docs', '308 /docs/', 'interface'],
      ['/_redirects', '200 index.html', 'cloudflare'],
    ],
  },
  {
    redirects: '/app/* /app/index.html 200!\n/old.html /new.html\n/moved.html /new.html 301!',
    files: ['app/index.html', 'app/real.html', 'old.html', 'new.html', 'moved.html'],
    ineffective: ['_redirects:2'],
    rows: [
      ['/app/real.html', '200 app/index.html', 'rewrites'],
      ['/app/unreal', '200 app/index.html', 'rewrites'],
      ['/old.html', '200 old.html', 'rewrites'],
      ['/moved.html', '301 /new.html', 'rewrites'],
    ],
  },
  {
    redirects: '/en/* /en/404.html 404\n/de/* /de/404.html 404\n/* /en/404.html 404',
    files: ['en/404.html', 'de/404.html', 'en/index.html'],
    rows: [
      ['/en/', '200 en/index.html', 'options'],
      ['/en/nothing', '404 en/404.html', 'options'],
      ['/de/nothing', '404 de/404.html', 'options'],
      ['/fr/nothing', '404 en/404.html', 'options'],
    ],
  },
  {
    redirects: '/first /one\n/first /two\n/early/* /splat/:splat\n/early/exact /never',
    ineffective: ['_redirects:2', '_redirects:4'],
    rows: [
      ['/first', '301 /one', 'cloudflare'],
      ['/early/exact', '301 /splat/exact', 'options'],
    ],
  },
  {
    redirects: '/docs/* /blog/:splat 301\n/about /about-us\n/bare/ /landed',
    rows: [
      ['/docs/article1', '301 /blog/article1', 'guide'],
      ['/docs/contact/form', '301 /blog/contact/form', 'guide'],
      ['/about/', '301 /about-us', 'options'],
      ['/bare', '301 /landed', 'options'],
    ],
  },
  {
    redirects: '/authors/c%C3%A9line /authors/about-c%C3%A9line\n/é /e',
    rows: [
      ['/authors/c%C3%A9line', '301 /authors/about-c%C3%A9line', 'options'],
      ['/%C3%A9', '301 /e', 'options'],
      ['/e%CC%81', '301 /e', 'interface'],
    ],
  },
  {
    redirects: `/ /china 302 Country=ch,tw
/admin/* /admin/:splat 200 Role=admin
/israel/* /israel/he/:splat 302 Language=he
/* /legacy/:splat 200 Cookie=is_legacy
/admin/* 200! Role=admin
http://hello.bitballoon.com/* http://www.hello.com/:splat
/api/* https://api.example.com/:splat 200
/signed/* https://api.example.com/:splat 200! Sign=API_SECRET
/fn/* /.netlify/functions/:splat 200
/jobs/*.html /jobs/:splat
/a/*/b/* /c
no-slash /to
/no-destination
/works /x`,
    ignored: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13].map((line) => `_redirects:${line}`),
    rows: [
      ['/', '404', 'cloudflare'],
      ['/admin/x', '404', 'cloudflare'],
      ['/israel/x', '404', 'cloudflare'],
      ['/api/users', '404', 'cloudflare'],
      ['/signed/x', '404', 'interface'],
      ['/fn/x', '404', 'parser'],
      ['/jobs/a.html', '404', 'options'],
      ['/a/x/b/y', '404', 'cloudflare'],
      ['/no-destination', '404', 'parser'],
      ['/works', '301 /x', 'parser'],
    ],
  },
  {
    redirects: '/out/* /:splat\n/shop/:a/* https://example.com/:a/:splat?from=:a#:a',
    rows: [
      ['/out//evil.example/x', '301 /evil.example/x', 'cloudflareParser'],
      ['/out/%5Cevil.example', '301 /%5Cevil.example', 'interface'],
      ['/out/%0d%0aset-cookie:%20a=b', '301 /%0D%0Aset-cookie:%20a=b', 'interface'],
      ['/shop/x/y', '301 https://example.com/x/y?from=x#x', 'cloudflare'],
    ],
  },
  {
    headers: `# This is a comment
/secure/page
  X-Frame-Options: DENY
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer

/static/*
  X-Of-Site: nosnippet

/static/*
  X-Of-Site: noarchive

https://myproject.pages.dev/*
  X-Of-Site: noindex`,
    files: ['secure/page.html', 'static/image.jpg', 'index.html'],
    ignored: ['_headers:13'],
    rows: [
      ['/secure/page', 'referrer-policy: no-referrer | x-frame-options: DENY', 'cloudflareHeaders'],
      ['/static/image.jpg', 'x-of-site: nosnippet, noarchive', 'cloudflareHeaders'],
      ['/', '', 'cloudflareHeaders'],
    ],
  },
  {
    headers: `/*
  Content-Security-Policy: default-src 'self';
  X-A: 1
/*.jpg
  ! X-A
  X-B: 2
/again.jpg
  X-A: 3
/movies/:title
  x-movie-name: You are watching ":title"
/deep/*
  X-Rest: :splat`,
    files: ['a.jpg', 'again.jpg', 'page.html', 'movies/alien.html', 'deep/er/file.txt'],
    rows: [
      ['/page', "content-security-policy: default-src 'self'; | x-a: 1", 'cloudflareHeaders'],
      ['/a.jpg', "content-security-policy: default-src 'self'; | x-b: 2", 'cloudflareHeaders'],
      ['/again.jpg', "content-security-policy: default-src 'self'; | x-a: 3 | x-b: 2", 'cloudflareHeaders'],
      [
        '/movies/alien',
        'content-security-policy: default-src \'self\'; | x-a: 1 | x-movie-name: You are watching "alien"',
        'cloudflareHeaders',
      ],
      [
        '/deep/er/file.txt',
        "content-security-policy: default-src 'self'; | x-a: 1 | x-rest: er/file.txt",
        'cloudflareHeaders',
      ],
    ],
  },
  {
    headers: `# a path:
/templates/index.html
  # headers for that path:
  X-Frame-Options: DENY
/templates/index2.html
  X-Frame-Options: SAMEORIGIN
/multi
  cache-control: max-age=0
  cache-control: no-cache
  cache-control: no-store
  cache-control: must-revalidate`,
    files: ['templates/index.html', 'templates/index2.html', 'multi.html'],
    rows: [
      ['/templates/index.html', 'x-frame-options: DENY', 'netlifyHeaders'],
      ['/templates/index2.html', 'x-frame-options: SAMEORIGIN', 'netlifyHeaders'],
      ['/multi', 'cache-control: max-age=0, no-cache, no-store, must-revalidate', 'netlifyHeaders'],
    ],
  },
  {
    headers: `/a/:b
  X-P: :b
/c/*/d
  X-Around: yes
/e/f*g
  X-Inside: yes
/h/
  X-Slash: yes
//i//j//
  X-Slashes: yes
/static/*
  Cache-Control: public, max-age=31556952, immutable`,
    files: ['a/x.txt', 'c/1/2/d', 'e/f123g', 'h.html', 'i/j', 'static/app.css', '404.html'],
    rows: [
      ['/a/x.txt', 'x-p: x.txt', 'headersParser'],
      ['/c/1/2/d', 'x-around: yes', 'headersParser'],
      ['/e/f123g', 'x-inside: yes', 'headersParser'],
      ['/h', 'x-slash: yes', 'headersParser'],
      ['/i/j', 'x-slashes: yes', 'headersParser'],
      ['/static/app.css', 'cache-control: public, max-age=31556952, immutable', 'cloudflareHeaders'],
      ['/static/missing.css', '', 'interface'],
    ],
  },
  {
    headers: `/*
  X-Frame-Options: DENY
*.js
  Cache-Control: public, max-age=31536000, immutable
admin/*
  X-Robots-Tag: noindex
  Content-Disposition: attachment
/ok
  X-Ok: 1
index.html
  X-Of-Index: 1
  *.css
  X-Of-Styles: 1
admin/:id
X-Of-Id: 1`,
    files: ['index.html', 'ok.html', 'app.js'],
    ignored: ['_headers:3', '_headers:5', '_headers:10', '_headers:12', '_headers:14'],
    rows: [
      ['/', 'x-frame-options: DENY', 'interface'],
      ['/app.js', 'x-frame-options: DENY', 'interface'],
      ['/ok', 'x-frame-options: DENY | x-ok: 1', 'interface'],
    ],
  },
  {
    headers: `/nothing-below
/x/*.(jpg|png)
  X-A: 1
/y/*.{js,css}
  X-B: 1
/z # a comment
  X-C: 1
/one-line X-D: 1
/last`,
    files: ['x/a.jpg', 'y/a.js', 'z.html'],
    ignored: [1, 2, 4, 6, 8, 8, 9].map((line) => `_headers:${line}`),
    rows: [
      ['/x/a.jpg', '', 'interface'],
      ['/y/a.js', '', 'interface'],
      ['/z', '', 'interface'],
    ],
  },
  {
    headers: `  X-Early: 1
/a
  no colon here
  : no name
  no-value:
  two words: x
  Set-Cookie: a=b
  Content-Length: 5
  Connection: close
  Location: /elsewhere
  Basic-Auth: someuser:somepassword
  Service-Worker-Allowed: /
  Clear-Site-Data: "*"
  X-Content-Type-Options: sniff
  X-Accel-Redirect: /secret
  X-Not-Ascii: é
  ! Origin-Agent-Cluster
  Content-Type: text/html, Multipart/x-mixed-replace; boundary=x
  X-Fine: yes`,
    files: ['a.html'],
    ignored: [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18].map((line) => `_headers:${line}`),
    rows: [['/a', 'x-fine: yes', 'netlifyHeaders']],
  },
];

export const rows: readonly Row[] = given.flatMap(
  ({ redirects = '', headers = '', files = [], ignored = [], ineffective = [], rows }) => {
    const site = { redirects, headers, files, ignored, ineffective };
    return rows.map(([request, expected, source]) => ({ site, request, expected, source: from[source] }));
  },
);

export const sitesOfRows: readonly SiteOfRows[] = [...new Set(rows.map(({ site }) => site))];
