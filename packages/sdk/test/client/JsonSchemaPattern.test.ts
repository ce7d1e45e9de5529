import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Pattern from "../../src/client/internal/jsonSchema/pattern.ts"

const free = () => {}
const compile = (source: string) => Result.getOrThrow(Pattern.compile(source))
const problem = (source: string) => {
  const compiled = Pattern.compile(source)
  return Result.isFailure(compiled) ? compiled.failure.kind : "none"
}
const stepsOf = (source: string, text: string): number => {
  let steps = 0
  compile(source).test(text, (taken) => {
    steps += taken
  })
  return steps
}

// Pieces that make well-formed patterns whatever their order, and texts that they have something to say about.
const atoms = [
  "a",
  "b",
  ".",
  "[a-c]",
  "[^a]",
  "\\d",
  "\\w",
  "\\s",
  "\\.",
  "\\n",
  "é",
  "😀",
  "\\p{Lu}",
  "\\x61",
  "[\\]\\-]"
]
const assertions = ["^", "$", "\\b", "\\B"]
const quantifiers = ["", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?", "{1,3}?"]
const letters = ["a", "b", "c", "A", "1", " ", ".", "-", "]", "\n", "é", "😀"]

const patternFrom = (draw: () => number, depth: number): string => {
  const term = (): string => {
    const choice = draw() % 10
    if (choice === 0) return assertions[draw() % assertions.length]!
    if (choice < 4 && depth > 0) {
      const open = ["(", "(?:", "(?=", "(?!", "(?<name>"][draw() % 4]!
      const quantifier = open.startsWith("(?=") || open.startsWith("(?!")
        ? ""
        : quantifiers[draw() % quantifiers.length]!
      return `${open}${patternFrom(draw, depth - 1)})${quantifier}`
    }
    return atoms[draw() % atoms.length]! + quantifiers[draw() % quantifiers.length]!
  }
  const sequence = () => Array.from({ length: 1 + draw() % 3 }, term).join("")
  return Array.from({ length: 1 + draw() % 2 }, sequence).join("|")
}

const Entropy = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 }))).check(
  Schema.isBetweenLength(40, 60)
)

const drawFrom = (entropy: ReadonlyArray<number>) => {
  let at = 0
  return () => entropy[at++ % entropy.length]! + Math.floor(at / entropy.length)
}

describe("patterns", () => {
  it.effect.prop(
    "match what the platform's engine matches",
    { entropy: Entropy },
    ({ entropy }) =>
      Effect.sync(() => {
        const draw = drawFrom(entropy)
        for (let i = 0; i < 10; i++) {
          const source = patternFrom(draw, 2)
          // V8 also looks between the two halves of a surrogate pair, where there is no place to look, and finds
          // there that something is not so.
          const alphabet = /\\B|\(\?!|\\b/.test(source) ? letters.filter((letter) => letter.length === 1) : letters
          const pattern = compile(source)
          const native = new RegExp(source, "u")
          for (let j = 0; j < 10; j++) {
            const text = Array.from({ length: draw() % 7 }, () => alphabet[draw() % alphabet.length]).join("")
            assert.strictEqual(pattern.test(text, free), native.test(text), `/${source}/u on ${JSON.stringify(text)}`)
          }
        }
      }),
    { arbitrary: { runs: 60 }, timeout: 60_000 }
  )

  it.effect.prop(
    "any string is a pattern, or is refused for a reason",
    { source: Schema.String, text: Schema.String },
    ({ source, text }) =>
      Effect.sync(() => {
        const compiled = Pattern.compile(source)
        if (Result.isFailure(compiled)) {
          assert.isNotEmpty(compiled.failure.detail)
          return
        }
        let native: RegExp
        try {
          native = new RegExp(source, "u")
        } catch {
          native = new RegExp(source)
        }
        assert.strictEqual(compiled.success.test(text, free), native.test(text), source)
      }),
    { arbitrary: { runs: 300 }, timeout: 60_000 }
  )

  it("older escapes, which the Unicode reading forbids, are read the older way", () => {
    for (const [source, text] of [["\\_", "_"], ["^[\\w\\-.]+$", "a-b.c"], ["a\\-b", "a-b"], ["^\\_{3}$", "___"]]) {
      assert.isTrue(compile(source!).test(text!, free), source)
    }
  })

  it("what everyday schemas ask", () => {
    const cases: ReadonlyArray<readonly [source: string, yes: string, no: string]> = [
      ["^\\d{4}-\\d{2}-\\d{2}$", "2026-07-28", "2026-7-28"],
      ["^(?=.*[A-Z])(?=.*\\d).{8,}$", "Passw0rdPassw0rd", "password1"],
      ["^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$", "a@example.com", "a@@example.com"],
      ["^(?!admin$)[a-z]+$", "administrator", "admin"],
      ["^#?([a-fA-F0-9]{6}|[a-fA-F0-9]{3})$", "#fff", "#ffff"],
      ["b", "abc", "ac"],
      ["^\\p{L}+$", "Übung", "a1"],
      ["^.{0,2000}$", "a".repeat(2000), "a".repeat(2001)]
    ]
    for (const [source, yes, no] of cases) {
      assert.isTrue(compile(source).test(yes, free), source)
      assert.isFalse(compile(source).test(no, free), source)
    }
  })

  it("refuses what has no bound, and what is no pattern", () => {
    for (const source of ["(a)\\1", "(?<n>a)\\k<n>", "(?<=a)b", "(?<!a)b"]) {
      assert.strictEqual(problem(source), "unsupported", source)
    }
    for (const source of ["(", "[", "a)", "*"]) assert.strictEqual(problem(source), "invalid", source)
    for (
      const source of [
        "((a{100}){100}){100}",
        "(?:){4000000000}",
        "a".repeat(5000),
        `${"(".repeat(500)}${")".repeat(500)}`
      ]
    ) assert.strictEqual(problem(source), "too large", source.slice(0, 40))
  })

  it("what makes other engines backtrack costs as much as the text is long", () => {
    const hostile: ReadonlyArray<readonly [source: string, text: (n: number) => string]> = [
      ["^(a+)+$", (n) => `${"a".repeat(n)}!`],
      ["^(a|a)*$", (n) => `${"a".repeat(n)}!`],
      ["^(a|aa)+$", (n) => `${"a".repeat(n)}!`],
      ["(x+x+)+y", (n) => "x".repeat(n)],
      ["^(([a-z])+.)+[A-Z]([a-z])+$", (n) => "a".repeat(n)],
      ["^(.*?,){11}P", (n) => "1,".repeat(n / 2)],
      ["(.*)(.*)(.*)(.*)(.*)[^.]$", (n) => ".".repeat(n)]
    ]
    for (const [source, text] of hostile) {
      const steps = [1000, 2000, 4000, 8000].map((n) => stepsOf(source, text(n)))
      for (let i = 1; i < steps.length; i++) assert.isAtMost(steps[i]! / steps[i - 1]!, 2.1, `${source}: ${steps}`)
    }
  })

  it("a lookahead that is asked at every place pays for every place", () => {
    assert.throws(() => {
      let left = 100_000
      compile("(?=.*x)y").test("a".repeat(10_000), (taken) => {
        left -= taken
        if (left < 0) throw new Error("spent")
      })
    }, "spent")
  })
})
