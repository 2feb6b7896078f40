import type { DefaultTreeAdapterTypes as Tree } from 'parse5';

const HTML = 'http://www.w3.org/1999/xhtml';

/** Elements without an end tag, or with an optional one (HTML, 13.1.2.4). */
const NEED_NO_END = new Set(
  (
    'area base br col embed hr img input link meta source track wbr param ' +
    'html head body li dt dd p rt rp optgroup option colgroup caption thead tbody tfoot tr td th'
  ).split(' '),
);

/** Reports whether an end tag is missing because the text was cut off or elements are nested incorrectly. */
export function isUnclosed(element: Tree.Element, text: string): boolean {
  const at = element.sourceCodeLocation;
  if (!at?.startTag || at.endTag) return false;
  if (element.namespaceURI === HTML) return !NEED_NO_END.has(element.tagName);
  // In SVG and MathML, `<path/>` is self-closing.
  return text.slice(at.startTag.startOffset, at.startTag.endOffset).at(-2) !== '/';
}
