import type { DefaultTreeAdapterTypes } from 'parse5';

/** What a value becomes in an attribute: plain text, an address that people follow, or one that the page loads. */
export type AttributeUse = 'text' | 'link' | 'media';

const HTML = 'http://www.w3.org/1999/xhtml';

/** Text to a browser, on whatever element they are. */
const TEXT = new Set([
  'alt',
  'title',
  'value',
  'placeholder',
  'label',
  'id',
  'for',
  'popovertarget',
  'name',
  'class',
  'lang',
  'dir',
  'datetime',
  'download',
  'width',
  'height',
  'min',
  'max',
  'maxlength',
  'rows',
  'colspan',
  'rowspan',
]);

/** In SVG an attribute may hold an address where none is expected (`fill="url(…)"`): only sizes and words take values. */
const DRAWING = new Set(['width', 'height', 'x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'r', 'stroke-dasharray']);

const ADDRESSES: Readonly<Record<string, AttributeUse>> = {
  'a href': 'link',
  'area href': 'link',
  'form action': 'link',
  'blockquote cite': 'link',
  'q cite': 'link',
  'img src': 'media',
  'audio src': 'media',
  'video src': 'media',
  'video poster': 'media',
  'source src': 'media',
  'track src': 'media',
};

/**
 * How a value may stand in an attribute; null where none may. What is not known to be harmless takes no value: scripts
 * of events, styles, lists of addresses, and whatever browsers learn next.
 */
export function attributeUse(element: DefaultTreeAdapterTypes.Element, name: string): AttributeUse | null {
  if (element.namespaceURI !== HTML) return name.startsWith('aria-') || DRAWING.has(name) ? 'text' : null;
  const address = ADDRESSES[`${element.tagName} ${name}`];
  if (address) return address;
  if (element.tagName === 'meta')
    return name === 'content' && !element.attrs.some((attribute) => attribute.name === 'http-equiv') ? 'text' : null;
  if (TEXT.has(name) || name.startsWith('aria-') || name.startsWith('data-')) return 'text';
  return null;
}

/** Elements whose content is no text to a browser, or that change what the rest of the page means: no value is in them. */
export const closedElements: ReadonlySet<string> = new Set([
  'script',
  'style',
  'base',
  'link',
  'iframe',
  'frame',
  'frameset',
  'object',
  'embed',
  'param',
  'applet',
  'portal',
  'template',
  'noscript',
  'noembed',
  'noframes',
  'xmp',
  'plaintext',
  'math',
  'foreignObject',
  'animate',
  'animateTransform',
  'animateMotion',
  'set',
  'use',
]);
