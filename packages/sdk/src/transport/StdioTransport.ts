/**
 * The stdio transport: a server on its own standard input and output, a client of a child process.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 * @since 0.1.0
 */
export { safeEnvironment } from "./SafeEnvironment.ts"
export { type ClientOptions, connectStdio, layerClient, type Stderr } from "./StdioClient.ts"
export { layerServer, layerServerWith, type ServerOptions } from "./StdioServer.ts"
