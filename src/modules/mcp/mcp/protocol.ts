/** The library is loaded at the first MCP request, because most processes serve sites for hours before then. */
export const protocol = () => import('@modelcontextprotocol/server');

export const protocolOnNode = () => import('@modelcontextprotocol/node');
