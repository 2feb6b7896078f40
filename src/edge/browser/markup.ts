/** HTML that is safe to send. Only the `html` template tag creates it. */
export type Markup = { readonly markup: string };

const isMarkup = (value: unknown): value is Markup => typeof value === 'object' && value !== null && 'markup' in value;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

type MarkupPart = string | number | null | Markup | readonly Markup[];

/** Template tag for HTML. Escapes all values except those that `html` itself created. */
export function html(texts: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return { markup: String.raw({ raw: texts }, ...parts.map(markupOf)) };
}

function markupOf(part: MarkupPart): string {
  if (part === null) return '';
  if (isMarkup(part)) return part.markup;
  return typeof part === 'object' ? part.map(({ markup }) => markup).join('\n') : escaped(String(part));
}

export const joined = (parts: readonly Markup[]): Markup => ({ markup: parts.map(({ markup }) => markup).join('') });
