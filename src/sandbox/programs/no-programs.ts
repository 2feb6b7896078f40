import { Programs, type RunningProgram } from '../../kernel/ports/outside/programs.js';
import { refuse } from '../../kernel/refusal.js';

/** For processes that run no servers. */
export class NoPrograms extends Programs {
  constructor(private readonly why: string) {
    super();
  }

  override async missing(): Promise<string> {
    return this.why;
  }

  override async start(): Promise<RunningProgram> {
    return refuse('builder_unavailable', this.why);
  }
}
