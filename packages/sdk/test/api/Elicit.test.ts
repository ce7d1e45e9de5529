import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Elicit from "../../src/api/Elicit.ts"
import * as Revision from "../../src/protocol/Revision.ts"
import { textOf } from "../support/answeringPeer.ts"
import { call, serve } from "../support/askingServer.ts"

const withForms = ["2025-06-18", "2025-11-25", "2026-07-28"] as const
const withPages = ["2025-11-25", "2026-07-28"] as const

const json = Effect.map((value: unknown) => JSON.stringify(value))

describe("form", () => {
  const form = Elicit.form("Who?", { name: Schema.String, since: Schema.optionalKey(Schema.DateFromString) })

  it.effect("is a question that every revision with forms can read, and gives the answer decoded", () =>
    Effect.forEach(withForms, (revision) =>
      Effect.gen(function*() {
        const content = { name: "Ada", since: "2026-07-28T00:00:00.000Z", more: true }
        const peer = yield* serve(
          Effect.map(form, (answer) => `${answer.action === "accept" && answer.content.since?.getTime()}`),
          { revision, answer: () => ({ result: { action: "accept", content } }) }
        )
        assert.strictEqual(textOf(yield* call(peer)), "1785196800000")
        const [question] = peer.questions
        assert.strictEqual(question!.params["mode"], revision === "2025-06-18" ? undefined : "form")
        assert.deepStrictEqual(question!.params["requestedSchema"], {
          type: "object",
          properties: { name: { type: "string" }, since: { type: "string" } },
          required: ["name"]
        })
      })))

  // Only what is accepted is looked at.
  it.effect("lets decline and cancel through as they are, and accepts nothing but what fits", () =>
    Effect.forEach(withForms, (revision) =>
      Effect.gen(function*() {
        for (const action of ["decline", "cancel"]) {
          const peer = yield* serve(json(form), {
            revision,
            answer: () => ({ result: { action, content: { name: 1 } } })
          })
          assert.strictEqual(textOf(yield* call(peer)), JSON.stringify({ action }))
        }
        for (const content of [{}, undefined, { name: 1 }, { name: "Ada", since: "never" }, { name: ["Ada"] }]) {
          const peer = yield* serve(json(form), { revision, answer: () => ({ result: { action: "accept", content } }) })
          assert.match(textOf(yield* call(peer)), /^error -32602: The answer does not fit the form: (name|since): /)
        }
      })))

  it.effect("of optional fields only may be accepted without content", () =>
    Effect.gen(function*() {
      const optional = Elicit.form("?", { a: Schema.optionalKey(Schema.String) })
      const peer = yield* serve(json(optional), {
        revision: "2026-07-28",
        answer: () => ({ result: { action: "accept" } })
      })
      assert.strictEqual(textOf(yield* call(peer)), `{"action":"accept","content":{}}`)
    }))

  it.effect("that no form can be is a defect of the server, told to its log and not to the client", () =>
    Effect.gen(function*() {
      // The types refuse such a field; JavaScript does not.
      const bad = Elicit.form("?", { name: Schema.NullOr(Schema.String) as unknown as typeof Schema.String })
      let defect: unknown
      const handler = Effect.tapDefect(bad, (cause) => Effect.sync(() => defect = cause))
      const peer = yield* serve(json(handler), { revision: "2026-07-28" })
      assert.strictEqual(textOf(yield* call(peer)), "error -32603: Internal error")
      assert.match(String(defect), /The field "name" has no place in a form/)
    }))

  it.effect("with a list is more than 2025-06-18 can ask, which the handler is told", () =>
    Effect.gen(function*() {
      const list = Elicit.form("?", { toppings: Elicit.choices({ a: "Anchovies", o: "Olives" }) })
      const handler = list.pipe(
        Effect.catchReason("McpError", "CapabilityNotSupported", ({ message }) => Effect.succeed(message))
      )
      for (const revision of withForms) {
        const peer = yield* serve(json(handler), {
          revision,
          answer: () => ({ result: { action: "accept", content: { toppings: ["o"] } } })
        })
        assert.match(
          textOf(yield* call(peer)),
          revision === "2025-06-18"
            ? /cannot be asked like this at 2025-06-18: requestedSchema.properties.toppings/
            : /{"toppings":\["o"\]}/
        )
      }
    }))

  it.effect("is answered under its own key at 2026-07-28", () =>
    Effect.gen(function*() {
      const peer = yield* serve(json(Elicit.form("?", { a: Schema.String }, { key: "user_name" })), {
        revision: "2026-07-28"
      })
      const outcome = (yield* peer.request("tools/call", { name: "ask" })) as any
      assert.deepStrictEqual(Object.keys(outcome.result.inputRequests), ["user_name"])
      // What nobody has asked for is not looked into, whatever it is.
      const inputResponses = { user_name: { action: "decline" }, ["__proto__"]: { a: 1 }, other: [], more: null }
      const { requestState } = outcome.result
      const done = yield* peer.request("tools/call", { name: "ask", inputResponses, requestState })
      assert.strictEqual(textOf(done), `{"action":"decline"}`)
    }))
})

describe("formOf", () => {
  it.effect("asks by a form as the protocol has it, and gives the answer as it came", () =>
    Effect.forEach(withForms, (revision) =>
      Effect.gen(function*() {
        const form = Elicit.formOf("?", {
          type: "object",
          properties: { size: { type: "string", oneOf: [{ const: "s", title: "Small" }], default: "s" } }
        })
        const peer = yield* serve(json(form), {
          revision,
          answer: () => ({ result: { action: "accept", content: { size: "s", x: 1 } } })
        })
        assert.strictEqual(textOf(yield* call(peer)), `{"action":"accept","content":{"size":"s","x":1}}`)
        assert.deepStrictEqual(
          peer.questions[0]!.params["requestedSchema"].properties.size,
          revision === "2025-06-18"
            ? { type: "string", enum: ["s"], enumNames: ["Small"] }
            : { type: "string", oneOf: [{ const: "s", title: "Small" }], default: "s" }
        )
      })))
})

describe("url", () => {
  // https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode-elicitation-requests
  it.effect("sends the user to a page, with an id where the revision has one", () =>
    Effect.forEach(withPages, (revision) =>
      Effect.gen(function*() {
        for (const elicitationId of [undefined, "an id"]) {
          const peer = yield* serve(json(Elicit.url("Pay?", "https://pay.example/1", { elicitationId })), {
            revision,
            answer: () => ({ result: { action: "accept" } })
          })
          assert.strictEqual(textOf(yield* call(peer)), `{"action":"accept"}`)
          const { elicitationId: id, ...params } = peer.questions[0]!.params
          assert.deepStrictEqual(params, { mode: "url", message: "Pay?", url: "https://pay.example/1" })
          if (revision === "2025-11-25") assert.match(id, elicitationId === undefined ? /^[\da-f-]{36}$/ : /^an id$/)
          else assert.isUndefined(id)
        }
      })))

  it.effect("of what is no URL is a defect", () =>
    Effect.gen(function*() {
      const peer = yield* serve(json(Elicit.url("?", "pay.example/1")), { revision: "2026-07-28" })
      assert.strictEqual(textOf(yield* call(peer)), "error -32603: Internal error")
    }))
})

describe("completed", () => {
  // https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation
  it.effect("is told at 2025-11-25, to a client that opens pages, and nowhere else", () =>
    Effect.forEach(Revision.all, (revision) =>
      Effect.gen(function*() {
        for (const capabilities of [{ elicitation: { url: {} } }, { elicitation: {} }, {}]) {
          const peer = yield* serve(Effect.as(Elicit.completed("an id"), "done"), { revision, capabilities })
          assert.strictEqual(textOf(yield* call(peer)), "done")
          const told = revision === "2025-11-25" && "elicitation" in capabilities && "url" in capabilities.elicitation!
          assert.deepStrictEqual(
            peer.notices,
            told ? [{ method: "notifications/elicitation/complete", params: { elicitationId: "an id" } }] : []
          )
        }
      })))
})

describe("completed, after the answer", () => {
  // The user comes to an end when it suits them: the request that sent them there is long answered.
  it.effect("is told all the same", () =>
    Effect.gen(function*() {
      const later = yield* Deferred.make<void>()
      const told = yield* Deferred.make<void>()
      const handler = Elicit.completed("an id").pipe(
        Effect.tap(Deferred.succeed(told, undefined)),
        (notice) => Effect.andThen(Deferred.await(later), notice),
        Effect.forkDetach,
        Effect.as("sent")
      )
      const peer = yield* serve(handler, { revision: "2025-11-25", capabilities: { elicitation: { url: {} } } })
      assert.strictEqual(textOf(yield* call(peer)), "sent")
      yield* Deferred.succeed(later, undefined)
      yield* Deferred.await(told)
      // One more round trip: what was sent before it has arrived before it.
      yield* call(peer)
      assert.deepStrictEqual(peer.notices[0], {
        method: "notifications/elicitation/complete",
        params: { elicitationId: "an id" }
      })
    }))
})

describe("requireUrl", () => {
  const connected = Effect.as(
    Elicit.requireUrl("Connect", "https://a.example", { elicitationId: "an id" }),
    "connected"
  )

  // https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
  it.effect("is -32042 at 2025-11-25", () =>
    Effect.gen(function*() {
      const peer = yield* serve(connected, { revision: "2025-11-25" })
      const outcome = (yield* call(peer)) as any
      assert.strictEqual(outcome.error.code, -32042)
      assert.deepStrictEqual(outcome.error.data, {
        elicitations: [{ mode: "url", message: "Connect", url: "https://a.example", elicitationId: "an id" }]
      })
      assert.deepStrictEqual(peer.questions, [])
    }))

  it.effect("is a question at 2026-07-28", () =>
    Effect.gen(function*() {
      for (const action of ["accept", "decline", "cancel"]) {
        const peer = yield* serve(connected, { revision: "2026-07-28", answer: () => ({ result: { action } }) })
        assert.match(textOf(yield* call(peer)), action === "accept" ? /^connected$/ : /^error -32600: .*did not agree/)
      }
    }))

  it.effect("fails where the client opens no pages", () =>
    Effect.forEach(Revision.all, (revision) =>
      Effect.gen(function*() {
        const peer = yield* serve(connected, { revision, capabilities: { elicitation: {} } })
        const outcome = (yield* call(peer)) as any
        assert.strictEqual(outcome.error.code, revision === "2026-07-28" ? -32021 : -32600)
        assert.deepStrictEqual(outcome.error.data, { requiredCapabilities: { elicitation: { url: {} } } })
      })))
})
