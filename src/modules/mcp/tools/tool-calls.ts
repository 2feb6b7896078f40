import type { CallToolResult } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { InnerCaller } from '../../../edge/http/inner/inner-caller.js';
import { InnerRequestSender } from '../../../edge/http/inner/inner-requests.js';
import { Refusal } from '../../../kernel/refusal.js';
import type { AgentTool } from '../../../nest/agent-tool.js';
import type { ContentArguments } from './content-arguments.js';
import { type Arguments, toolRequest } from './tool-request.js';
import { refusedResult, toolResult } from './tool-result.js';
import { type Listener, WatchToolHandler } from './watch-tool-handler.js';

export type Calling = {
  readonly caller: InnerCaller;
  /** The content that was extracted from the arguments. */
  readonly content: ContentArguments;
  /** Null if the caller did not request progress. */
  readonly listener: Listener | null;
  readonly signal: AbortSignal;
};

/** Each tool call becomes an API request on behalf of the caller. */
@Injectable()
export class ToolCalls {
  constructor(
    private readonly interior: InnerRequestSender,
    private readonly watching: WatchToolHandler,
  ) {}

  /** Returns refusals as results, so that the model can read them and correct the call. */
  async call(tool: AgentTool, given: Arguments, calling: Calling): Promise<CallToolResult> {
    try {
      const request = await toolRequest(tool, given, calling.content);
      const ask = () => this.interior.ask({ ...request, signal: calling.signal }, calling.caller);
      const { watches } = tool;
      if (!watches) return toolResult(tool, await ask());
      // A caller without access gets the refusal of the route without occupying a stream.
      const first = await ask();
      if (first.status !== 200) return toolResult(tool, first);
      const { listener, signal } = calling;
      await this.watching.untilEnd(watches, given, { caller: calling.caller, listener, signal });
      return toolResult(tool, await ask());
    } catch (error) {
      if (error instanceof Refusal) return refusedResult(error);
      throw error;
    }
  }
}
