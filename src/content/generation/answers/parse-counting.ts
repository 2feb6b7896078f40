import { type DefaultTreeAdapterMap, type DefaultTreeAdapterTypes, Parser, type Token } from 'parse5';

/**
 * Parse errors that make it unclear what the page is. Browsers all repair the others in the same way. Duplicate tags
 * are not a parse error: the parser ignores the second one, so they are counted separately.
 */
const BROKEN = /^(?:eof-|missing-doctype|non-conforming-doctype|surrogate-|noncharacter-|control-|unexpected-null)/;

/** Parses a text, and records details that the tree does not show. */
export function parseCounting(text: string) {
  let broken: string | null = null;
  const parser = new CountingParser({
    sourceCodeLocationInfo: true,
    onParseError: ({ code }) => {
      if (BROKEN.test(code)) broken ??= code;
    },
  });
  parser.tokenizer.write(text, true);
  const document: DefaultTreeAdapterTypes.Document = parser.document;
  return { document, broken: broken as string | null, counts: parser.counts, end: parser.end ?? text.length };
}

class CountingParser extends Parser<DefaultTreeAdapterMap> {
  /** Number of occurrences of each tag in the text. */
  readonly counts = new Map<string, number>();
  /** Offset of the end of the first `</html>`, in characters. */
  end: number | null = null;

  override onDoctype(token: Token.DoctypeToken): void {
    this.#count('<!doctype>');
    super.onDoctype(token);
  }

  override onStartTag(token: Token.TagToken): void {
    this.#count(`<${token.tagName}>`);
    super.onStartTag(token);
  }

  override onEndTag(token: Token.TagToken): void {
    this.#count(`</${token.tagName}>`);
    if (token.tagName === 'html') this.end ??= token.location?.endOffset ?? null;
    super.onEndTag(token);
  }

  #count = (tag: string) => void this.counts.set(tag, (this.counts.get(tag) ?? 0) + 1);
}
