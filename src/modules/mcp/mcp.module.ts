import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { InnerRequestSender } from '../../edge/http/inner/inner-requests.js';
import { OAuthModule } from '../oauth/oauth.module.js';
import { McpController } from './mcp/mcp.controller.js';
import { McpCallers } from './mcp/mcp-callers.js';
import { McpServers } from './mcp/mcp-servers.js';
import { McpResources } from './resources/mcp-resources.js';
import { ToolCalls } from './tools/tool-calls.js';
import { ToolCatalogue } from './tools/tool-catalogue.js';
import { WatchToolHandler } from './tools/watch-tool-handler.js';

@Module({
  imports: [DiscoveryModule, OAuthModule],
  controllers: [McpController],
  providers: [InnerRequestSender, ToolCatalogue, WatchToolHandler, ToolCalls, McpResources, McpServers, McpCallers],
})
export class McpModule {}
