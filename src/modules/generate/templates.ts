import { fileURLToPath } from 'node:url';
import { Inject, Injectable } from '@nestjs/common';
import { readTemplates } from '../../content/generation/templates/read-templates.js';
import type { Template } from '../../content/generation/templates/template.js';
import { refuse } from '../../kernel/refusal.js';
import { GenerationSettings } from '../../settings/generation-settings.js';

/** Beside the product, as it is installed and as it is bundled. */
const OWN = fileURLToPath(new URL('../../../templates', import.meta.url));

/**
 * The templates that come along and those of the operator. The operator's are read when the process starts, ours when
 * a caller first asks: reading them is a twelfth of the work of a start.
 */
@Injectable()
export class Templates {
  readonly #theirs: ReadonlyMap<string, Template>;
  #known: ReadonlyMap<string, Template> | undefined;

  /** Throws `TemplateFault` for one of the operator's that cannot be used. */
  constructor(@Inject(GenerationSettings) { templates: theirs }: GenerationSettings) {
    this.#theirs = theirs === null ? new Map() : readTemplates(theirs);
  }

  /** In the order of their names, ours first. */
  get all(): readonly Template[] {
    return [...this.#byName().values()];
  }

  find = (name: string): Template | null => this.#byName().get(name) ?? null;

  /** Refuses with `not_found`. */
  get = (name: string): Template =>
    this.find(name) ??
    refuse('not_found', `No template is called “${name.slice(0, 60)}”. GET /v1/code/templates lists them.`);

  #byName(): ReadonlyMap<string, Template> {
    this.#known ??= new Map([...readTemplates(OWN), ...this.#theirs]);
    return this.#known;
  }
}
