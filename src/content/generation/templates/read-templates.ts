import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { explainSystemError } from '../../../kernel/faults/explain-system-error.js';
import { Template } from './template.js';
import { TemplateError } from './template-fault.js';

/** Valid names of template folders, which are used in URLs. */
const NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** Reads templates from subfolders, ordered by name. Throws `TemplateError`. */
export function readTemplates(folder: string): ReadonlyMap<string, Template> {
  const names = entriesOf(folder)
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort();
  return new Map(names.map((name) => [name, readTemplate(folder, name)]));
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw new TemplateError(`Could not read the template folder ${folder}: ${explainSystemError(error)}`);
  }
}

function readTemplate(folder: string, name: string): Template {
  if (!NAME.test(name))
    throw new TemplateError(
      `templates/${name}: the name must have at most 40 lowercase letters, digits and hyphens and start with a letter`,
    );
  const read = (file: string) => {
    try {
      return readFileSync(join(folder, name, file), 'utf8');
    } catch (error) {
      throw new TemplateError(`Could not read templates/${name}/${file}: ${explainSystemError(error)}`);
    }
  };
  return Template.read(name, read('template.json'), read('page.html'));
}
