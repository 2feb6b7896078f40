/** Loads the MCP library at the first MCP request: most processes serve sites for hours before one arrives. */
export const protocol = () => import('@modelcontextprotocol/server');

/** Loads the library's adapter for Node's requests and responses. */
export const protocolOnNode = () => import('@modelcontextprotocol/node');
