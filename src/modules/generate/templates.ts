import { fileURLToPath } from 'node:url';
import { Inject, Injectable } from '@nestjs/common';
import { readTemplates } from '../../generation/templates/read-templates.js';
import type { Template } from '../../generation/templates/template.js';
import { refuse } from '../../kernel/refusal.js';
import { GenerationSettings } from '../../settings.generation.js';

/** Beside the product, as it is installed and as it is bundled. */
const OWN = fileURLToPath(new URL('../../../templates', import.meta.url));

/** The templates that come along and those of the operator, read once when the process starts. */
@Injectable()
export class Templates {
  readonly #all: ReadonlyMap<string, Template>;

  /** Throws `TemplateFault` for one that cannot be used. */
  constructor(@Inject(GenerationSettings) { templates: theirs }: GenerationSettings) {
    this.#all = new Map([...readTemplates(OWN), ...(theirs === null ? [] : readTemplates(theirs))]);
  }

  /** In the order of their names, ours first. */
  get all(): readonly Template[] {
    return [...this.#all.values()];
  }

  find = (name: string): Template | null => this.#all.get(name) ?? null;

  /** Refuses with `not_found`. */
  get = (name: string): Template =>
    this.find(name) ?? refuse('not_found', `There is no template “${name.slice(0, 60)}”: see GET /v1/code/templates.`);
}
