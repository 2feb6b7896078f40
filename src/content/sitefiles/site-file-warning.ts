import { plural } from '../../kernel/output/quantities.js';
import { MAX_WARNINGS } from './site-file-limits.js';

/** A line (starting at 1) that is ignored, or that has a different effect than on other hosting services. */
export type SiteFileWarning = { readonly file: string; readonly line: number; readonly message: string };

export class WarningCollector {
  readonly #said: SiteFileWarning[] = [];
  #unsaid: { readonly line: number; readonly message: string; count: number } | null = null;

  constructor(private readonly file: string) {}

  add(line: number, message: string): void {
    if (this.#said.length < MAX_WARNINGS - 1) this.#said.push({ file: this.file, line, message });
    else if (this.#unsaid) this.#unsaid.count++;
    else this.#unsaid = { line, message, count: 1 };
  }

  get all(): readonly SiteFileWarning[] {
    if (!this.#unsaid) return this.#said;
    const { line, count, message: only } = this.#unsaid;
    const message = count > 1 ? `Ignored, along with at least ${plural(count - 1, 'more line')}.` : only;
    return [...this.#said, { file: this.file, line, message }];
  }
}
