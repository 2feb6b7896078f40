import { resolve } from 'node:path';
import { z } from 'zod';
import { setting } from './declaration.js';
import { hostNames, url } from './forms.js';

/** An OpenAI-compatible endpoint that generates pages. */
export type ModelSettings = {
  /** URL of the endpoint, including `/v1` if it has that path. */
  readonly baseUrl: string;
  /** API key, or null if the endpoint does not need one, like Ollama and llama.cpp. */
  readonly apiKey: string | null;
  readonly model: string;
  /** Time without output after which a response of the model is considered failed. */
  readonly silenceMs: number;
  /** Maximum duration of a whole response of the model. */
  readonly answerMs: number;
};

export abstract class GenerationSettings {
  /** The language model that generates pages, or null if prompts are refused. */
  abstract readonly model: ModelSettings | null;
  /** Maximum number of prompts per user and day (UTC). */
  abstract readonly perDay: number;
  /** Maximum number of prompts by all users together per day (UTC). */
  abstract readonly perDayInAll: number;
  /** Hosts from which a generated page may load scripts and style sheets, in lower case. */
  abstract readonly scriptHosts: ReadonlySet<string>;
  /** Folder with templates in addition to the built-in templates. */
  abstract readonly templates: string | null;
}

const seconds = (fallback: number) => z.coerce.number().min(0.1).max(3_600).default(fallback);
const prompts = (fallback: number) => z.coerce.number().int().min(1).max(1_000_000_000).default(fallback);

export const generationEnvironment = {
  LLM_BASE_URL: setting(url.optional(), {
    description:
      'OpenAI-compatible endpoint that generates pages from prompts. Examples: `http://localhost:11434/v1` for Ollama, `http://localhost:8080/v1` for llama.cpp. Requires `LLM_MODEL`.',
    form: 'an http or https URL such as http://localhost:11434/v1',
    unset: 'prompts are refused; templates still work',
  }),
  LLM_MODEL: setting(z.string().trim().min(1).max(200).optional(), {
    description: 'Name of the model to use at the endpoint, such as `llama3.2`. Requires `LLM_BASE_URL`.',
    form: 'a model name of 1 to 200 characters',
    unset: 'prompts are refused',
  }),
  LLM_API_KEY: setting(
    z
      .string()
      .regex(/^[\x21-\x7e]{1,2000}$/)
      .optional(),
    {
      description: 'API key for the endpoint.',
      form: 'a key of 1 to 2000 ASCII characters without spaces',
      unset: 'no key is sent; Ollama and llama.cpp do not need one',
    },
  ),
  STELE_GENERATE_PER_DAY: setting(prompts(50), {
    description: 'Maximum number of prompts that each user can send per day (UTC).',
    form: 'an integer from 1 to 1000000000',
  }),
  STELE_GENERATE_PER_DAY_IN_ALL: setting(prompts(1_000), {
    description: 'Maximum number of prompts that all users together can send per day (UTC).',
    form: 'an integer from 1 to 1000000000',
  }),
  STELE_GENERATE_SILENCE: setting(seconds(60), {
    description: 'Time without output after which a response from the model counts as failed.',
    form: 'a number from 0.1 to 3600',
    unit: 'seconds',
  }),
  STELE_GENERATE_SECONDS: setting(seconds(300), {
    description: 'Maximum duration of a whole response from the model.',
    form: 'a number from 0.1 to 3600',
    unit: 'seconds',
  }),
  STELE_GENERATE_SCRIPT_HOSTS: setting(hostNames.default([]), {
    description: 'Hosts from which generated pages can load scripts and style sheets over HTTPS.',
    form: 'a list of host names such as cdn.jsdelivr.net, separated by commas or spaces',
    unset: 'none',
  }),
  STELE_TEMPLATES: setting(z.string().min(1).optional(), {
    description:
      'Folder with your own [templates](templates.md). A template with the same name as a built-in template replaces the built-in one.',
    form: 'a path',
    unset: 'only the built-in templates',
  }),
};

const Generation = z.object(generationEnvironment);

/** Returns an error message if the settings of the language model contradict each other, otherwise null. */
export function generationFault({ LLM_BASE_URL, LLM_MODEL, LLM_API_KEY }: z.output<typeof Generation>): string | null {
  if ((LLM_BASE_URL ?? LLM_MODEL ?? LLM_API_KEY) === undefined) return null;
  return LLM_BASE_URL !== undefined && LLM_MODEL !== undefined
    ? null
    : 'LLM_BASE_URL and LLM_MODEL must be set together. LLM_API_KEY is required only if the endpoint requires an API key.';
}

export const readGenerationSettings = (env: z.output<typeof Generation>): GenerationSettings => ({
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
