import { type DefaultTreeAdapterMap, type DefaultTreeAdapterTypes, Parser, type Token } from 'parse5';

/**
 * Faults of HTML after which it is not clear what the page is; others every browser mends alike. That a tag comes twice
 * is no fault to the parser: it passes over the second one.
 */
const BROKEN = /^(?:eof-|missing-doctype|non-conforming-doctype|surrogate-|noncharacter-|control-|unexpected-null)/;

/** Parses a text, and remembers what of it does not show in the tree. */
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
  /** How often each tag stands in the text. */
  readonly counts = new Map<string, number>();
  /** Where the first `</html>` ends, in characters. */
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
