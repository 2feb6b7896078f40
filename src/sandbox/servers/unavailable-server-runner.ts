import { type RunningServer, ServerRunner } from '../../kernel/ports/outside/server-runner.js';
import { refuse } from '../../kernel/refusal.js';

export class UnavailableServerRunner extends ServerRunner {
  constructor(private readonly why: string) {
    super();
  }

  override async missing(): Promise<string> {
    return this.why;
  }

  override async start(): Promise<RunningServer> {
    return refuse('builder_unavailable', this.why);
  }
}
