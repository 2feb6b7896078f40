/** The MCP library, loaded on the first MCP request: most processes serve sites for hours before one arrives. */
export const protocol = () => import('@modelcontextprotocol/server');

/** Adapter of the library for Node’s requests and responses. */
export const protocolOnNode = () => import('@modelcontextprotocol/node');
