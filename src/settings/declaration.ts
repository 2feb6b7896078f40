import type { z } from 'zod';

/** Documentation of one setting. docs/settings.md is generated from it, and error messages quote `form`. */
export type SettingDescription = {
  readonly description: string;
  /** The valid values. Completes the sentence “NAME must be …”. */
  readonly form: string;
  /** Unit of a setting that is a plain number. */
  readonly unit?: 'bytes' | 'seconds' | 'days';
  /** Markdown that says what happens if the setting is not set, for settings whose schema has no default. */
  readonly unset?: string;
};

const descriptions = new WeakMap<z.ZodType, SettingDescription>();

/** Attaches documentation to a setting’s schema. `schema` must be the outermost schema, which includes the default. */
export function setting<S extends z.ZodType>(schema: S, description: SettingDescription): S {
  descriptions.set(schema, description);
  return schema;
}

/** Returns the documentation of a setting. Throws if its schema has none. */
export function describeSetting(schema: z.ZodType): SettingDescription {
  const description = descriptions.get(schema);
  if (description === undefined) throw new Error('This setting has no description.');
  return description;
}

/** Settings that belong together and form one section of docs/settings.md. */
export type SettingGroup = {
  readonly title: string;
  readonly settings: Readonly<Record<string, z.ZodType>>;
};
