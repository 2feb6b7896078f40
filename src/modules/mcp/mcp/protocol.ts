/** The library of the protocol, loaded when the first agent comes: most processes serve sites for hours before. */
export const protocol = () => import('@modelcontextprotocol/server');

/** What it needs to answer on Node’s own requests. */
export const protocolOnNode = () => import('@modelcontextprotocol/node');
