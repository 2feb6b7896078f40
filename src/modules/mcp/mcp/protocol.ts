/**
 * Loads the MCP library at the first MCP request, because most processes serve sites for hours before they receive one.
 */
export const protocol = () => import('@modelcontextprotocol/server');

export const protocolOnNode = () => import('@modelcontextprotocol/node');
