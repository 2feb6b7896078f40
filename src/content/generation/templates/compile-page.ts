import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { isUnclosed } from '../documents/unclosed.js';
import { mixedAddressFault } from './address-value.js';
import { type AttributeUse, attributeUse, closedElements } from './attribute-use.js';
import type { ObjectSchema } from './parameter-schema.js';
import { hasPlaceholder, isPath, type Piece, parsePieces } from './pieces.js';
import { SchemaScope } from './scope.js';
import type { Blame } from './template-fault.js';

/** An attribute with placeholders. Its name and namespace come from the template. */
export type FilledAttribute = {
  readonly attribute: Attribute;
  readonly pieces: readonly Piece[];
  readonly use: AttributeUse;
};
type Attribute = Tree.Element['attrs'][number];

/** A node of a page’s tree. Text and attributes in which values will be inserted are split into pieces. */
export type PageNode =
  | { readonly kind: 'as-it-is'; readonly node: Exclude<Tree.ChildNode, Tree.Element> }
  | { readonly kind: 'text'; readonly pieces: readonly Piece[] }
  | PageElement;

export type PageElement = {
  readonly kind: 'element';
  readonly element: Tree.Element;
  readonly attributes: readonly (Attribute | FilledAttribute)[];
  readonly children: readonly PageNode[];
  /**
   * For an element that is repeated for each entry of a list: the path of the list, and the name by which placeholders
   * refer to the entry. Null for any other element.
   */
  readonly each: { readonly name: string; readonly of: string } | null;
  /** Path of a value that must be present (`if`) or absent (`unless`) for the element to be included. */
  readonly if: string | null;
  readonly unless: string | null;
};

const DIRECTIVES = ['data-each', 'data-if', 'data-unless'];
const UNREPEATED = new Set(['html', 'head', 'body']);

/** Compiles the HTML page of a template. Calls `blame`, which throws, if the page has a fault. */
export function compilePage(html: string, parameters: ObjectSchema, blame: Blame): readonly PageNode[] {
  const document = parse(html, {
    sourceCodeLocationInfo: true,
    onParseError: (error) => blame(error, `is not well-formed HTML: ${error.code}`),
  });
  if (!/<title>/.test(html)) blame(null, 'has no <title>');
  return new Compiler(html, blame).children(document, new SchemaScope(parameters));
}

class Compiler {
  constructor(
    private readonly html: string,
    private readonly blame: Blame,
  ) {}

  children = (parent: Tree.ParentNode, schemas: SchemaScope): PageNode[] =>
    parent.childNodes.map((node) => this.node(node, schemas));

  private node(node: Tree.ChildNode, schemas: SchemaScope): PageNode {
    if ('tagName' in node) return this.element(node, schemas);
    if (node.nodeName === '#text') {
      const pieces = this.pieces(node.value, schemas, node.sourceCodeLocation);
      if (hasPlaceholder(pieces)) return { kind: 'text', pieces };
    } else if (node.nodeName === '#comment' && node.data.includes('{{')) {
      this.blame(node.sourceCodeLocation, 'has a placeholder in a comment');
    }
    return { kind: 'as-it-is', node };
  }

  private element(element: Tree.Element, outside: SchemaScope): PageNode {
    const at = element.sourceCodeLocation;
    const value = (name: string) => element.attrs.find((attribute) => attribute.name === name)?.value ?? null;
    if (UNREPEATED.has(element.tagName) && DIRECTIVES.some((name) => value(name) !== null))
      this.blame(at, `has data-each, data-if or data-unless on <${element.tagName}>, which must occur exactly once`);

    const each = this.each(value('data-each'), outside, at);
    const schemas = each ? outside.with(each.name, each.item) : outside;
    for (const path of [value('data-if'), value('data-unless')])
      if (path !== null && !(isPath(path) && schemas.at(path)))
        this.blame(at, `refers to “${path}”, which is not a parameter`);

    if (isUnclosed(element, this.html)) this.blame(at, `has a <${element.tagName}> that is not closed`);
    if (closedElements.has(element.tagName)) this.expectNoPlaceholder(element);
    return {
      kind: 'element',
      element,
      attributes: element.attrs
        .filter(({ name }) => !DIRECTIVES.includes(name))
        .map((attribute) => this.attribute(element, attribute, schemas)),
      children: closedElements.has(element.tagName)
        ? contentOf(element).map((node) => asItIs(node))
        : this.children(element, schemas),
      each: each && { name: each.name, of: each.of },
      if: value('data-if'),
      unless: value('data-unless'),
    };
  }

  private each(text: string | null, schemas: SchemaScope, at: Tree.Element['sourceCodeLocation']) {
    if (text === null) return null;
    const [name = '', word, of = '', ...rest] = text.trim().split(/\s+/);
    if (word !== 'of' || rest.length > 0 || !isPath(of) || !isPath(name) || /[._]/.test(name))
      this.blame(at, `has data-each="${text}", which is not of the form “link of links”`);
    const list = schemas.at(of);
    if (list?.type !== 'array') return this.blame(at, `has data-each for “${of}”, which is not an array parameter`);
    if (schemas.has(name)) this.blame(at, `uses the name “${name}” for an entry, but that name is already in use here`);
    return { name, of, item: list.items };
  }

  private attribute(element: Tree.Element, attribute: Attribute, schemas: SchemaScope): Attribute | FilledAttribute {
    const at = element.sourceCodeLocation?.attrs?.[attribute.name] ?? element.sourceCodeLocation;
    if (attribute.name.includes('{{')) this.blame(at, 'has a placeholder in the name of an attribute');
    const pieces = this.pieces(attribute.value, schemas, at);
    if (!hasPlaceholder(pieces)) return attribute;
    const use = attributeUse(element, attribute.name);
    if (use === null)
      return this.blame(
        at,
        `has a placeholder in ${attribute.name} of <${element.tagName}>, where placeholders are not allowed`,
      );
    const fault = use === 'text' || pieces.length === 1 ? null : mixedAddressFault(pieces, use);
    if (fault !== null) this.blame(at, `has a placeholder in ${attribute.name}: the URL ${fault}`);
    return { attribute, pieces, use };
  }

  private pieces(text: string, schemas: SchemaScope, at: Tree.TextNode['sourceCodeLocation']): readonly Piece[] {
    const pieces = parsePieces(text);
    if (pieces === null) return this.blame(at, 'has {{ or }} outside a placeholder such as {{link.url}}');
    for (const piece of pieces) {
      if (typeof piece === 'string') continue;
      const type = schemas.at(piece.path)?.type;
      if (type === undefined) this.blame(at, `has {{${piece.path}}}, which is not a parameter`);
      if (type === 'object' || type === 'array' || type === 'boolean')
        this.blame(at, `has {{${piece.path}}}, which is of type ${type} and cannot be shown as text`);
    }
    return pieces;
  }

  /** Rejects placeholders in elements whose content is not treated as text by all browsers. */
  private expectNoPlaceholder(element: Tree.Element): void {
    const nodes: Tree.ChildNode[] = [element];
    for (let node = nodes.pop(); node; node = nodes.pop()) {
      const texts = 'tagName' in node ? node.attrs.map(({ value }) => value) : [textOf(node)];
      if (texts.some((text) => text.includes('{{')))
        this.blame(
          node.sourceCodeLocation,
          `has a placeholder in <${element.tagName}>, where placeholders are not allowed`,
        );
      if (!('tagName' in node)) continue;
      if (node !== element && node.attrs.some(({ name }) => DIRECTIVES.includes(name)))
        this.blame(
          node.sourceCodeLocation,
          `has data-each, data-if or data-unless inside <${element.tagName}>, where these attributes are not allowed`,
        );
      nodes.push(...contentOf(node));
    }
  }
}

const textOf = (node: Exclude<Tree.ChildNode, Tree.Element>) =>
  node.nodeName === '#text' ? node.value : node.nodeName === '#comment' ? node.data : '';

const contentOf = (element: Tree.Element): Tree.ChildNode[] =>
  element.nodeName === 'template' ? (element as Tree.Template).content.childNodes : element.childNodes;

const asItIs = (node: Tree.ChildNode): PageNode =>
  'tagName' in node
    ? {
        kind: 'element',
        element: node,
        attributes: node.attrs,
        children: contentOf(node).map(asItIs),
        each: null,
        if: null,
        unless: null,
      }
    : { kind: 'as-it-is', node };
