import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { InnerRequestSender } from '../../edge/http/inner/inner-requests.js';
import { AuthorizationModule } from '../oauth/authorization.module.js';
import { AgentCallers } from './mcp/agent-callers.js';
import { AgentServers } from './mcp/agent-server.js';
import { McpController } from './mcp/mcp.controller.js';
import { AgentResources } from './resources/agent-resources.js';
import { ToolCalls } from './tools/tool-calls.js';
import { ToolCatalogue } from './tools/tool-catalogue.js';
import { WatchToolHandler } from './tools/watch-tool-handler.js';

@Module({
  imports: [DiscoveryModule, AuthorizationModule],
  controllers: [McpController],
  providers: [
    InnerRequestSender,
    ToolCatalogue,
    WatchToolHandler,
    ToolCalls,
    AgentResources,
    AgentServers,
    AgentCallers,
  ],
})
export class AgentsModule {}
