/**
 * The Model Context Protocol on `node:http`.
 *
 * @since 0.1.0
 */
export * as NodeHandler from "./node/NodeHandler.ts"
export * as NodeHttp from "./node/NodeHttp.ts"
