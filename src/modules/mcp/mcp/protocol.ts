/**
 * Loads the MCP library. This happens at the first MCP request, because most processes serve sites for hours before
 * then.
 */
export const protocol = () => import('@modelcontextprotocol/server');

export const protocolOnNode = () => import('@modelcontextprotocol/node');
