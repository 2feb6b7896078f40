import { defaultTreeAdapter as make, serialize, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { formatBytes } from '../../../kernel/output/quantities.js';
import { cleanText, turnsDirection } from '../documents/clean-text.js';
import { addressFault, addressPart } from './address-value.js';
import type { FilledAttribute, PageElement, PageNode } from './compile-page.js';
import type { Piece } from './pieces.js';
import type { Located, Values } from './scope.js';

export const MAX_PAGE_BYTES = 524_288;

/**
 * Inserts values into a page, escaping each for its place. Throws `invalid_request` if a URL is not allowed, if a
 * string changes the direction of the text around it, or if the page exceeds 512 KiB.
 */
export function fillPage(page: readonly PageNode[], values: Values): string {
  const filling = new PageFiller();
  const document = make.createDocument();
  filling.append(document, page, values);
  const html = serialize(document);
  return Buffer.byteLength(html) > MAX_PAGE_BYTES ? tooLarge() : html;
}

const tooLarge = () =>
  refuseInvalid({ path: 'parameters', message: `must not make the page larger than ${formatBytes(MAX_PAGE_BYTES)}` });

class PageFiller {
  /** Number of bytes by which the page may still grow. Prevents nested lists from expanding without limit. */
  private room = MAX_PAGE_BYTES;

  append(parent: Tree.ParentNode, nodes: readonly PageNode[], values: Values): void {
    for (const node of nodes) {
      if (node.kind === 'text') make.insertText(parent, this.text(node.pieces, values));
      else if (node.kind === 'element') this.appendElement(parent, node, values);
      else if (node.node.nodeName === '#text')
        make.insertText(parent, this.counted((node.node as Tree.TextNode).value));
      else if (node.node.nodeName === '#documentType') make.setDocumentType(parent as Tree.Document, 'html', '', '');
    }
  }

  private appendElement(parent: Tree.ParentNode, node: PageElement, outside: Values): void {
    for (const values of node.each ? outside.each(node.each.name, node.each.of) : [outside]) {
      if (node.if !== null && !values.has(node.if)) continue;
      if (node.unless !== null && values.has(node.unless)) continue;
      this.counted(node.element.tagName);
      const attributes = node.attributes.flatMap((it) => ('pieces' in it ? this.attribute(it, values) : [{ ...it }]));
      const element = make.createElement(node.element.tagName, node.element.namespaceURI, attributes);
      make.appendChild(parent, element);
      const isTemplate = node.element.nodeName === 'template';
      const content = isTemplate ? make.createDocumentFragment() : element;
      this.append(content, node.children, values);
      if (isTemplate) make.setTemplateContent(element as Tree.Template, content as Tree.DocumentFragment);
    }
  }

  /** Returns an attribute, or nothing if the attribute’s URL is empty. An empty URL would refer to the page itself. */
  private attribute({ attribute, pieces, use }: FilledAttribute, values: Values): Tree.Element['attrs'] {
    if (use === 'text') return [{ ...attribute, value: this.text(pieces, values) }];
    const [only] = pieces;
    if (pieces.length > 1 || only === undefined || typeof only === 'string') {
      const before = String(only);
      const parts = pieces.map((piece) =>
        typeof piece === 'string' ? piece : addressPart(textOf(values.at(piece.path)), before),
      );
      return [{ ...attribute, value: this.counted(parts.join('')) }];
    }
    const located = values.at(only.path);
    const value = textOf(located).trim();
    if (value === '') return [];
    const fault = addressFault(value, use);
    if (fault !== null) refuseAt(located, fault);
    return [{ ...attribute, value: this.counted(value) }];
  }

  private text = (pieces: readonly Piece[], values: Values) =>
    this.counted(pieces.map((piece) => (typeof piece === 'string' ? piece : textOf(values.at(piece.path)))).join(''));

  private counted(text: string): string {
    this.room -= text.length;
    return this.room < 0 ? tooLarge() : text;
  }
}

function textOf(located: Located): string {
  const { value } = located;
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return '';
  if (turnsDirection(value)) refuseAt(located, 'must not contain invisible characters that change the text direction');
  return cleanText(value);
}

const refuseAt = ({ path }: Located, fault: string): never => refuseInvalid({ path, message: fault });
