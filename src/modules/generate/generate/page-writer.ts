import { Injectable } from '@nestjs/common';
import { buildPrompt, type PageWish } from '../../../content/generation/responses/build-prompt.js';
import { documentFault } from '../../../content/generation/responses/document-fault.js';
import { unwrapped } from '../../../content/generation/responses/unwrapped.js';
import { leftToCleaning } from '../../../kernel/faults/ignored-fault.js';
import { plural } from '../../../kernel/output/quantities.js';
import { ModelError, type ModelFaultKind, PageModel } from '../../../kernel/ports/outside/page-model.js';
import { type RefusalCode, refuse } from '../../../kernel/refusal.js';
import { GenerationSettings } from '../../../settings/generation-settings.js';
import { TemplateLibrary } from '../templates.js';
import { type CountedPrompt, Generations } from './generations.js';

const CODES = {
  failing: 'generator_unavailable',
  silent: 'generator_unavailable',
  refused: 'generation_refused',
  incomplete: 'generation_incomplete',
} as const satisfies Record<ModelFaultKind, RefusalCode>;

/**
 * Generates pages with a language model. Keeps prompts and responses only in memory, and only while they are needed.
 */
@Injectable()
export class PageWriter {
  constructor(
    private readonly model: PageModel,
    private readonly templates: TemplateLibrary,
    private readonly generations: Generations,
    private readonly settings: GenerationSettings,
  ) {}

  /** Refuses with `generator_unavailable` if no model is configured. */
  assertModel(): void {
    if (!this.model.isConfigured) refuse('generator_unavailable', 'No model is configured (LLM_BASE_URL).');
  }

  /**
   * Counts a prompt. If the user or the service has used up today's prompts, calls `onUsedUp` with the seconds until
   * the next day and refuses with `quota_exceeded`.
   */
  async count(userId: string, onUsedUp: (seconds: number) => void): Promise<CountedPrompt> {
    const { perDay, perDayInAll } = this.settings;
    const counted = await this.generations.take(userId, this.settings);
    if (typeof counted !== 'string') return counted;
    onUsedUp(this.generations.secondsLeft());
    return counted === 'person'
      ? refuse(
          'quota_exceeded',
          `You have used all ${plural(perDay, 'prompt')} for today. Templates don’t count towards this limit.`,
        )
      : refuse(
          'quota_exceeded',
          `This service has used all ${plural(perDayInAll, 'prompt')} for today. Templates don’t count towards this limit.`,
        );
  }

  /**
   * Generates a page. Yields pieces while the model writes, and returns the complete, checked page. The pieces have not
   * been checked, so don't present them as a page. Removes the prompt from the count if it caused no cost. Refuses with
   * `generator_unavailable`, `generation_refused` or `generation_incomplete`.
   */
  async *write(wish: PageWish, counted: CountedPrompt, signal: AbortSignal): AsyncGenerator<string, string> {
    let answer = '';
    try {
      for await (const piece of this.model.write(buildPrompt(wish, this.templates.all), signal)) {
        answer += piece;
        yield piece;
      }
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      if (answer === '' && error.kind === 'failing') await this.generations.giveBack(counted).catch(leftToCleaning);
      return refuse(CODES[error.kind], error.detail);
    }
    const html = unwrapped(answer);
    const fault = documentFault(html, this.settings.scriptHosts);
    return fault === null ? html : refuse(CODES[fault.kind], fault.detail);
  }
}
