import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { readTemplates } from '../../content/generation/templates/read-templates.js';
import type { Template } from '../../content/generation/templates/template.js';
import { refuse } from '../../kernel/refusal.js';
import { GenerationSettings } from '../../settings/generation-settings.js';

/** Both in the source tree and in the bundle, the templates folder is next to the code. */
const OWN = fileURLToPath(new URL('../../../templates', import.meta.url));

/** Built-in templates are read at their first use, because reading them would take a twelfth of the startup time. */
@Injectable()
export class TemplateLibrary {
  readonly #theirs: ReadonlyMap<string, Template>;
  #known: ReadonlyMap<string, Template> | undefined;

  /** Reads the operator's templates. Throws `TemplateError` if one is invalid. */
  constructor({ templates: theirs }: GenerationSettings) {
    this.#theirs = theirs === null ? new Map() : readTemplates(theirs);
  }

  /** Returns all templates, built-in ones first, each group sorted by name. */
  get all(): readonly Template[] {
    return [...this.#byName().values()];
  }

  find = (name: string): Template | null => this.#byName().get(name) ?? null;

  /** Returns the template with this name. Refuses an unknown name with `not_found`. */
  get = (name: string): Template =>
    this.find(name) ??
    refuse('not_found', `No template is called “${name.slice(0, 60)}”. GET /v1/code/templates lists them.`);

  #byName(): ReadonlyMap<string, Template> {
    this.#known ??= new Map([...readTemplates(OWN), ...this.#theirs]);
    return this.#known;
  }
}
