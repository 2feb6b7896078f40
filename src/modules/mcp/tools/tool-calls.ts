import type { CallToolResult } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { InnerCaller } from '../../../edge/http/inner/inner-caller.js';
import { InnerRequestSender } from '../../../edge/http/inner/inner-requests.js';
import { Refusal } from '../../../kernel/refusal.js';
import type { McpTool } from '../../../nest/mcp-tool.js';
import type { ContentArguments } from './content-arguments.js';
import { type Arguments, toolRequest } from './tool-request.js';
import { refusedResult, toolResult } from './tool-result.js';
import { type Listener, WatchToolHandler } from './watch-tool-handler.js';

export type Calling = {
  readonly caller: InnerCaller;
  /** Arguments with files, as JSON that has not been parsed. */
  readonly content: ContentArguments;
  /** Receives progress reports. Null if the caller did not request them. */
  readonly listener: Listener | null;
  readonly signal: AbortSignal;
};

/** Calls tools. Each tool call becomes an API request on behalf of the caller. */
@Injectable()
export class ToolCalls {
  constructor(
    private readonly interior: InnerRequestSender,
    private readonly watching: WatchToolHandler,
  ) {}

  /** Calls a tool. Returns a refusal as the tool's result, so that the model can read it and correct the call. */
  async call(tool: McpTool, given: Arguments, calling: Calling): Promise<CallToolResult> {
    try {
      const request = await toolRequest(tool, given, calling.content);
      const ask = () => this.interior.ask({ ...request, signal: calling.signal }, calling.caller);
      const { watches } = tool;
      if (!watches) return toolResult(tool, await ask());
      // Make the API request before waiting, so that a caller without access is refused and does not occupy a stream.
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
