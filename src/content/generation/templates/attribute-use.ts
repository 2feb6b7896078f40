import type { DefaultTreeAdapterTypes } from 'parse5';

/** Use of a value in an attribute: as text, as a URL that visitors follow, or as a URL that the page loads. */
export type AttributeUse = 'text' | 'link' | 'media';

const HTML = 'http://www.w3.org/1999/xhtml';

/** Attributes that browsers treat as plain text on any element. */
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

/** SVG attributes for sizes and coordinates. Other SVG attributes might accept a URL, such as `fill="url(…)"`. */
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
 * Returns how an attribute uses values, or null if it must not contain any. Only attributes known to be harmless are
 * allowed. This excludes event handlers, styles, lists of URLs, and attributes that future browsers might add.
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

/** Elements that must not contain values. Their content is not plain text, or they change the rest of the page. */
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
