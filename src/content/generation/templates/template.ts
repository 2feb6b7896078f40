import { z } from 'zod';
import { refuseInvalid, toFaults } from '../../../kernel/faults/schema-faults.js';
import { formatBytes, plural } from '../../../kernel/output/quantities.js';
import { compilePage, type PageNode } from './compile-page.js';
import { fillPage } from './fill-page.js';
import { type ObjectSchema, ParameterListSchema } from './parameter-schema.js';
import { Values } from './scope.js';
import { TemplateError } from './template-fault.js';

/** Maximum size of an example page. It is far below the limit for pages, because callers’ own values may be longer. */
export const MAX_EXAMPLE_BYTES = 61_440;

const TemplateJson = z.strictObject({
  title: z.string().min(1).max(60),
  description: z.string().min(1).max(300),
  parameters: ParameterListSchema,
  example: z.record(z.string(), z.json()),
});

export class Template {
  readonly preview: string;
  private readonly accepted: z.ZodType;

  private constructor(
    readonly name: string,
    readonly title: string,
    readonly description: string,
    /** JSON Schema (2020-12) for the values with which the template is filled in. */
    readonly parameters: ObjectSchema,
    readonly example: Readonly<Record<string, unknown>>,
    private readonly page: readonly PageNode[],
  ) {
    this.accepted = z.fromJSONSchema(JSON.parse(JSON.stringify(parameters)), { defaultTarget: 'draft-2020-12' });
    this.preview = this.#goodExample(example);
  }

  /** Parses a template. Throws `TemplateError` for any fault that would otherwise only appear when it is used. */
  static read(name: string, json: string, html: string): Template {
    const where = `templates/${name}`;
    const parsed = TemplateJson.safeParse(jsonIn(json, where));
    if (!parsed.success)
      throw new TemplateError(
        toFaults(parsed.error.issues)
          .map(({ path, message }) => `${where}/template.json: ${path} ${message}`)
          .join('\n'),
      );
    const { title, description, parameters, example } = parsed.data;
    const page = compilePage(html, parameters, (at, what) => {
      throw new TemplateError(`${where}/page.html${at ? `:${at.startLine}:${at.startCol}` : ''} ${what}`);
    });
    return new Template(name, title, description, parameters, example, page);
  }

  /** Returns the page. Throws `invalid_request` with the path of each invalid parameter (`parameters.links[1].url`). */
  fill(parameters: unknown): string {
    const checked = this.accepted.safeParse(parameters);
    if (!checked.success) {
      const issues = checked.error.issues.map((issue) => ({
        ...issue,
        message: formatFault(issue) ?? issue.message,
        path: ['parameters', ...issue.path],
      }));
      const faults = toFaults(issues);
      return refuseInvalid(...faults);
    }
    return fillPage(this.page, new Values({ value: checked.data, path: 'parameters' }));
  }

  #goodExample(example: unknown): string {
    const where = `templates/${this.name}`;
    let html: string;
    try {
      html = this.fill(example);
    } catch (error) {
      throw new TemplateError(`${where}/template.json: the example is not valid: ${(error as Error).message}`);
    }
    const bytes = Buffer.byteLength(html);
    if (bytes > MAX_EXAMPLE_BYTES)
      throw new TemplateError(
        `${where}: the example page has ${plural(bytes, 'byte')}; the limit is ${formatBytes(MAX_EXAMPLE_BYTES)}`,
      );
    return html;
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  url: 'must be a URL',
  date: 'must be a date such as 2027-03-13',
  email: 'must be an email address',
};

/**
 * Returns the message for a value that does not match its JSON Schema format or pattern, or undefined for any other
 * issue.
 */
function formatFault(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code !== 'invalid_format') return undefined;
  return FORMATS[issue.format] ?? `must match the pattern ${issue.pattern}`;
}

function jsonIn(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TemplateError(`${where}/template.json is not valid JSON: ${(error as Error).message}`);
  }
}
