/** Loaded at the first MCP request: most processes serve sites for hours before one arrives. */
export const protocol = () => import('@modelcontextprotocol/server');

export const protocolOnNode = () => import('@modelcontextprotocol/node');
