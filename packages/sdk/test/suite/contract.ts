/**
 * The contract that the shared suite of behaviours is about, and its handlers: one of each thing a server can do. What
 * goes on inside the server is told by tools, so that it can be seen over any pipe.
 */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Custom from "../../src/api/Custom.ts"
import * as McpApi from "../../src/api/McpApi.ts"
import * as Progress from "../../src/api/Progress.ts"
import * as Prompt from "../../src/api/Prompt.ts"
import * as Resource from "../../src/api/Resource.ts"
import * as ResourceTemplate from "../../src/api/ResourceTemplate.ts"
import * as Tool from "../../src/api/Tool.ts"
import { Invocation } from "../../src/era/Invocation.ts"
import * as Content from "../../src/protocol/Content.ts"
import * as McpError from "../../src/protocol/McpError.ts"
import * as McpServer from "../../src/server/McpServer.ts"

export class DivisionByZero extends Schema.TaggedError<DivisionByZero>()("DivisionByZero", { dividend: Schema.Int }) {
  override get message() {
    return `${this.dividend} cannot be divided by zero`
  }
}

export const Shape = Schema.Union([
  Schema.TaggedStruct("circle", { radius: Schema.Finite }),
  Schema.TaggedStruct("square", { side: Schema.Finite })
])

export const levels = ["debug", "info", "warning", "error", "critical"] as const

export class Suite extends McpApi.make("suite", {
  version: "1.2.3",
  title: "The suite",
  instructions: "Call anything.",
  tools: [
    Tool.make("text", { description: "Text" }),
    Tool.make("block", { description: "A block" }),
    Tool.make("blocks", { description: "Text and a block" }),
    Tool.make("nothing", { description: "Nothing" }),
    Tool.make("whole", { description: "A whole result" }),
    Tool.make("sum", {
      description: "A structured answer that is an object",
      title: "Sum",
      annotations: { readOnlyHint: true },
      meta: { "example.com/key": 1 },
      parameters: { a: Schema.Int, b: Schema.Int },
      success: Schema.Struct({ sum: Schema.Int })
    }),
    Tool.make("count", {
      description: "A structured answer that is none",
      parameters: { words: Schema.Array(Schema.String) },
      success: Schema.Int
    }),
    Tool.make("told", {
      description: "A structured answer with content of its own",
      success: Schema.Struct({ n: Schema.Int })
    }),
    Tool.make("divide", {
      description: "May fail, as it says",
      parameters: { dividend: Schema.Int, divisor: Schema.Int },
      success: Schema.Struct({ quotient: Schema.Finite }),
      failure: DivisionByZero
    }),
    Tool.make("area", {
      description: "Takes one of several shapes",
      parameters: { shape: Shape },
      success: Schema.Struct({ area: Schema.Finite })
    }),
    Tool.make("break", {
      description: "Dies, fails undeclared, or breaks its contract",
      parameters: { how: Schema.String }
    }),
    Tool.make("refuse", { description: "Fails with a protocol error" }),
    Tool.make("progress", { description: "Reports progress", parameters: { steps: Schema.Array(Schema.Finite) } }),
    Tool.make("log", { description: "Logs a message of each level" }),
    Tool.make("slow", { description: "Never ends" }),
    Tool.make("whoami", { description: "Tells what is known of the request" }),
    Tool.make("events", { description: "Tells what has happened inside the server" })
  ],
  resources: [
    Resource.make("text", "suite://text", { mimeType: "text/plain", description: "Text", size: 5 }),
    Resource.make("bytes", "suite://bytes", { mimeType: "image/png" }),
    Resource.make("several", "suite://several"),
    Resource.make("gone", "suite://gone"),
    ResourceTemplate.make("item", "suite://item/{id}", {
      mimeType: "application/json",
      variables: { id: Schema.NumberFromString.check(Schema.isInt()) }
    }),
    ResourceTemplate.make("path", "suite://path/{+path}")
  ],
  prompts: [
    Prompt.make("greet", {
      description: "Greets someone",
      arguments: {
        name: Schema.String.annotate({ description: "Whom to greet" }),
        times: Schema.optionalKey(Schema.NumberFromString.check(Schema.isInt()))
      }
    }),
    Prompt.make("talk", { title: "A talk" })
  ]
}) {}

export const Echo = Custom.request("example.com/echo", {
  params: Schema.Struct({ text: Schema.String }),
  result: Schema.Struct({ echoed: Schema.String })
})

export const Poke = Custom.notification("example.com/poke", { params: Schema.Struct({ where: Schema.String }) })

/** What has happened inside the server. */
const events: Array<string> = []

const note = (event: string) => Effect.sync(() => void events.push(event))

const words = Array.from({ length: 250 }, (_, i) => `word${i}`)

export const handlers = Suite.toLayer({
  tools: {
    text: () => Effect.succeed("plain"),
    block: () => Effect.succeed(Content.image(new Uint8Array([1, 2, 3]), "image/png")),
    blocks: () => Effect.succeed(["first", Content.text("second", { annotations: { audience: ["user"] } })]),
    nothing: () => Effect.void,
    whole: () =>
      Effect.succeed({ content: [{ type: "text", text: "whole" }], isError: true, _meta: { own: 1 } } as const),
    sum: ({ a, b }) => Effect.succeed({ sum: a + b }),
    count: ({ words }) => Effect.succeed(words.length),
    told: () => Effect.succeed(Tool.answer({ n: 1 }, { content: ["in words"], meta: { own: 1 } })),
    divide: ({ dividend, divisor }) =>
      divisor === 0 ? Effect.fail(new DivisionByZero({ dividend })) : Effect.succeed({ quotient: dividend / divisor }),
    area: ({ shape }) => Effect.succeed({ area: shape._tag === "circle" ? shape.radius : shape.side ** 2 }),
    break: ({ how }) => {
      switch (how) {
        case "throw":
          throw new Error("secret of throw")
        case "die":
          return Effect.die(new Error("secret of die"))
        case "interrupt":
          return Effect.interrupt
        case "fail":
          // A failure that no type allows.
          return Effect.fail(new Error("secret of fail")) as never
        default:
          return Effect.succeed({ neither: "content" } as never)
      }
    },
    refuse: () => Effect.fail(McpError.make(new McpError.PeerError({ code: -1, detail: "No", data: { why: "so" } }))),
    progress: ({ steps }) =>
      Effect.as(
        Effect.forEach(steps, (progress) => Progress.report({ progress, total: 10, message: `step ${progress}` })),
        "done"
      ),
    log: Effect.fnUntraced(function*() {
      yield* Effect.logDebug("at debug")
      yield* Effect.logInfo({ at: "info" })
      yield* Effect.annotateLogs(Effect.logWarning("at warning"), { logger: "suite", request: 7 })
      yield* Effect.logError("at error", new Error("told"))
      yield* Effect.logFatal("at critical", "twice")
      return "logged"
    }),
    slow: () => Effect.onInterrupt(Effect.never, () => note("slow was interrupted")),
    whoami: () => Effect.map(Invocation, ({ ask, notify, once, received, visible, ...facts }) => JSON.stringify(facts)),
    events: () => Effect.sync(() => JSON.stringify(events))
  },
  resources: {
    text: () => Effect.succeed("plain"),
    bytes: () => Effect.succeed(new Uint8Array([1, 2, 3])),
    several: (_, uri) =>
      Effect.succeed([
        { uri: `${uri}/1`, text: "one" },
        { uri: `${uri}/2`, mimeType: "x/y", blob: "AQID" }
      ]),
    gone: (_, uri) => Effect.fail(McpError.make(new McpError.ResourceNotFound({ uri }))),
    item: ({ id }, uri) => Effect.succeed(JSON.stringify({ id: id + 1, uri })),
    path: ({ path }) => Effect.succeed(path)
  },
  prompts: {
    greet: ({ name, times = 1 }) => Effect.succeed(`Greet ${name}${times === 1 ? "" : ` ${times} times`}.`),
    talk: () =>
      Effect.succeed([
        { role: "user", content: Content.text("How are you?") },
        { role: "assistant", content: Content.text("Well.") }
      ])
  },
  completions: {
    prompts: {
      greet: {
        name: (typed, known) =>
          Effect.succeed(["Ada", "Alan", known["title"] ?? "Grace"].filter((it) => it.startsWith(typed)))
      }
    },
    resources: {
      path: { path: (typed) => Effect.succeed(words.filter((word) => word.startsWith(typed))) },
      item: { id: () => Effect.succeed({ values: words, total: 1000, hasMore: false }) }
    }
  }
})

/** The server's own log. */
export const serverLog = Logger.make<unknown, void>(({ cause, logLevel, message }) => {
  const parts = (Array.isArray(message) ? message : [message]).map((part) =>
    typeof part === "string" ? part : part instanceof Error ? part.message : JSON.stringify(part)
  )
  events.push(`${logLevel}: ${[...parts, ...cause.reasons.map(String)].join(" ")}`)
})

/** The server of the suite, two features on a page. */
export const server = Effect.gen(function*() {
  const running = yield* McpServer.make(Suite, { pageSize: 2, inputTimeout: "1 minute" })
  yield* running.catalog.addRequest(Echo, ({ text }) => Effect.succeed({ echoed: text }))
  yield* running.catalog.addNotification(Poke, ({ where }) => note(`poked ${where}`))
  return running
}).pipe(Effect.provide(handlers), Effect.provide(Logger.layer([serverLog])))
