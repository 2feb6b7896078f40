import { resolve } from 'node:path';
import { z } from 'zod';

/** An OpenAI-compatible endpoint that writes pages. */
export type ModelSettings = {
  /** Up to and with `/v1`, where it has that. */
  readonly baseUrl: string;
  /** Null where none is needed, as by Ollama and llama.cpp. */
  readonly apiKey: string | null;
  readonly model: string;
  /** How long it may say nothing before its answer counts as lost. */
  readonly silenceMs: number;
  /** How long a whole answer may take. */
  readonly answerMs: number;
};

/** How pages are generated. */
export abstract class GenerationSettings {
  /** Null where prompts are not answered. */
  abstract readonly model: ModelSettings | null;
  /** Prompts of one person in a day (UTC). */
  abstract readonly perDay: number;
  /** Prompts of all people in a day. */
  abstract readonly perDayInAll: number;
  /** Hosts from which a generated page may load scripts and style sheets, in small letters. */
  abstract readonly scriptHosts: ReadonlySet<string>;
  /** A folder of templates beside those that come along; null for none. */
  abstract readonly templates: string | null;
}

const seconds = (fallback: number) => z.coerce.number().min(0.1).max(3_600).default(fallback);
const count = (fallback: number) => z.coerce.number().int().min(1).max(1_000_000_000).default(fallback);

/** These settings as they stand in the environment. */
export const generationEnvironment = {
  LLM_BASE_URL: z
    .url({ protocol: /^https?$/, error: 'an address such as http://localhost:11434/v1' })
    .transform((text) => text.replace(/(?<!\/)\/+$/, ''))
    .optional(),
  LLM_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{1,2000}$/, 'a key without blanks')
    .optional(),
  LLM_MODEL: z.string().trim().min(1).max(200).optional(),
  STELE_GENERATE_PER_DAY: count(50),
  STELE_GENERATE_PER_DAY_IN_ALL: count(1_000),
  STELE_GENERATE_SILENCE: seconds(60),
  STELE_GENERATE_SECONDS: seconds(300),
  STELE_GENERATE_SCRIPT_HOSTS: z
    .string()
    .transform((text) =>
      text
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean),
    )
    .refine(
      (list) => list.every((host) => /^[a-z0-9.-]{1,253}$/.test(host)),
      'names of hosts such as cdn.jsdelivr.net, with commas between',
    )
    .default([]),
  STELE_TEMPLATES: z.string().min(1).optional(),
};

const Generation = z.object(generationEnvironment);

/** What is wrong with these settings together; null if nothing is. */
export function generationFault({ LLM_BASE_URL, LLM_MODEL, LLM_API_KEY }: z.output<typeof Generation>): string | null {
  if ((LLM_BASE_URL ?? LLM_MODEL ?? LLM_API_KEY) === undefined) return null;
  return LLM_BASE_URL !== undefined && LLM_MODEL !== undefined
    ? null
    : 'LLM_BASE_URL, LLM_MODEL: a model has both, and LLM_API_KEY where its endpoint asks for one.';
}

export const generationSettingsIn = (env: z.output<typeof Generation>): GenerationSettings => ({
  model:
    env.LLM_BASE_URL === undefined || env.LLM_MODEL === undefined
      ? null
      : {
          baseUrl: env.LLM_BASE_URL,
          apiKey: env.LLM_API_KEY ?? null,
          model: env.LLM_MODEL,
          silenceMs: env.STELE_GENERATE_SILENCE * 1_000,
          answerMs: env.STELE_GENERATE_SECONDS * 1_000,
        },
  perDay: env.STELE_GENERATE_PER_DAY,
  perDayInAll: env.STELE_GENERATE_PER_DAY_IN_ALL,
  scriptHosts: new Set(env.STELE_GENERATE_SCRIPT_HOSTS),
  templates: env.STELE_TEMPLATES === undefined ? null : resolve(env.STELE_TEMPLATES),
});
