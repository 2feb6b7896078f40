import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';

/** Replaces the `<title>` of a page and leaves every other byte as it is. */
export function retitled(html: string, title: string): string {
  const waiting: Tree.ChildNode[] = [...parse(html, { sourceCodeLocationInfo: true }).childNodes];
  for (let node = waiting.shift(); node; node = waiting.shift()) {
    if (!('tagName' in node)) continue;
    const at = node.sourceCodeLocation;
    if (node.tagName === 'title' && at?.startTag && at.endTag)
      return html.slice(0, at.startTag.endOffset) + escaped(title) + html.slice(at.endTag.startOffset);
    waiting.push(...node.childNodes);
  }
  return html;
}

/** Escapes text for `<title>`, where only character references are interpreted (HTML, 13.1.2.2). */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
