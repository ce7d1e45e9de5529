import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as UriTemplate from "../../src/protocol/UriTemplate.ts"

const parse = <const T extends string>(template: T) => Result.getOrThrow(UriTemplate.parse(template))
const match = (template: string, uri: string) => Option.getOrUndefined(UriTemplate.match(parse(template), uri))

// The names and values of https://www.rfc-editor.org/rfc/rfc6570#section-3.2
const values: { readonly [name: string]: UriTemplate.Value } = {
  count: ["one", "two", "three"],
  dom: ["example", "com"],
  dub: "me/too",
  hello: "Hello World!",
  half: "50%",
  var: "value",
  who: "fred",
  base: "http://example.com/home/",
  path: "/foo/bar",
  list: ["red", "green", "blue"],
  keys: { semi: ";", dot: ".", comma: "," },
  v: "6",
  x: "1024",
  y: "768",
  empty: "",
  empty_keys: {},
  undef: undefined
}

const tables: { readonly [section: string]: ReadonlyArray<readonly [template: string, uri: string]> } = {
  "3.2.1 Variable expansion": [
    ["{count}", "one,two,three"],
    ["{count*}", "one,two,three"],
    ["{/count}", "/one,two,three"],
    ["{/count*}", "/one/two/three"],
    ["{;count}", ";count=one,two,three"],
    ["{;count*}", ";count=one;count=two;count=three"],
    ["{?count}", "?count=one,two,three"],
    ["{?count*}", "?count=one&count=two&count=three"],
    ["{&count*}", "&count=one&count=two&count=three"]
  ],
  "3.2.2 Simple string expansion": [
    ["{var}", "value"],
    ["{hello}", "Hello%20World%21"],
    ["{half}", "50%25"],
    ["O{empty}X", "OX"],
    ["O{undef}X", "OX"],
    ["{x,y}", "1024,768"],
    ["{x,hello,y}", "1024,Hello%20World%21,768"],
    ["?{x,empty}", "?1024,"],
    ["?{x,undef}", "?1024"],
    ["?{undef,y}", "?768"],
    ["{var:3}", "val"],
    ["{var:30}", "value"],
    ["{list}", "red,green,blue"],
    ["{list*}", "red,green,blue"],
    ["{keys}", "semi,%3B,dot,.,comma,%2C"],
    ["{keys*}", "semi=%3B,dot=.,comma=%2C"]
  ],
  "3.2.3 Reserved expansion": [
    ["{+var}", "value"],
    ["{+hello}", "Hello%20World!"],
    ["{+half}", "50%25"],
    ["{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"],
    ["{+base}index", "http://example.com/home/index"],
    ["O{+empty}X", "OX"],
    ["O{+undef}X", "OX"],
    ["{+path}/here", "/foo/bar/here"],
    ["here?ref={+path}", "here?ref=/foo/bar"],
    ["up{+path}{var}/here", "up/foo/barvalue/here"],
    ["{+x,hello,y}", "1024,Hello%20World!,768"],
    ["{+path,x}/here", "/foo/bar,1024/here"],
    ["{+path:6}/here", "/foo/b/here"],
    ["{+list}", "red,green,blue"],
    ["{+list*}", "red,green,blue"],
    ["{+keys}", "semi,;,dot,.,comma,,"],
    ["{+keys*}", "semi=;,dot=.,comma=,"]
  ],
  "3.2.4 Fragment expansion": [
    ["{#var}", "#value"],
    ["{#hello}", "#Hello%20World!"],
    ["{#half}", "#50%25"],
    ["foo{#empty}", "foo#"],
    ["foo{#undef}", "foo"],
    ["{#x,hello,y}", "#1024,Hello%20World!,768"],
    ["{#path,x}/here", "#/foo/bar,1024/here"],
    ["{#path:6}/here", "#/foo/b/here"],
    ["{#list}", "#red,green,blue"],
    ["{#list*}", "#red,green,blue"],
    ["{#keys}", "#semi,;,dot,.,comma,,"],
    ["{#keys*}", "#semi=;,dot=.,comma=,"]
  ],
  "3.2.5 Label expansion": [
    ["{.who}", ".fred"],
    ["{.who,who}", ".fred.fred"],
    ["{.half,who}", ".50%25.fred"],
    ["www{.dom*}", "www.example.com"],
    ["X{.var}", "X.value"],
    ["X{.empty}", "X."],
    ["X{.undef}", "X"],
    ["X{.var:3}", "X.val"],
    ["X{.list}", "X.red,green,blue"],
    ["X{.list*}", "X.red.green.blue"],
    ["X{.keys}", "X.semi,%3B,dot,.,comma,%2C"],
    ["X{.keys*}", "X.semi=%3B.dot=..comma=%2C"],
    ["X{.empty_keys}", "X"],
    ["X{.empty_keys*}", "X"]
  ],
  "3.2.6 Path segment expansion": [
    ["{/who}", "/fred"],
    ["{/who,who}", "/fred/fred"],
    ["{/half,who}", "/50%25/fred"],
    ["{/who,dub}", "/fred/me%2Ftoo"],
    ["{/var}", "/value"],
    ["{/var,empty}", "/value/"],
    ["{/var,undef}", "/value"],
    ["{/var,x}/here", "/value/1024/here"],
    ["{/var:1,var}", "/v/value"],
    ["{/list}", "/red,green,blue"],
    ["{/list*}", "/red/green/blue"],
    ["{/list*,path:4}", "/red/green/blue/%2Ffoo"],
    ["{/keys}", "/semi,%3B,dot,.,comma,%2C"],
    ["{/keys*}", "/semi=%3B/dot=./comma=%2C"]
  ],
  "3.2.7 Path-style parameter expansion": [
    ["{;who}", ";who=fred"],
    ["{;half}", ";half=50%25"],
    ["{;empty}", ";empty"],
    ["{;v,empty,who}", ";v=6;empty;who=fred"],
    ["{;v,bar,who}", ";v=6;who=fred"],
    ["{;x,y}", ";x=1024;y=768"],
    ["{;x,y,empty}", ";x=1024;y=768;empty"],
    ["{;x,y,undef}", ";x=1024;y=768"],
    ["{;hello:5}", ";hello=Hello"],
    ["{;list}", ";list=red,green,blue"],
    ["{;list*}", ";list=red;list=green;list=blue"],
    ["{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"],
    ["{;keys*}", ";semi=%3B;dot=.;comma=%2C"]
  ],
  "3.2.8 Form-style query expansion": [
    ["{?who}", "?who=fred"],
    ["{?half}", "?half=50%25"],
    ["{?x,y}", "?x=1024&y=768"],
    ["{?x,y,empty}", "?x=1024&y=768&empty="],
    ["{?x,y,undef}", "?x=1024&y=768"],
    ["{?var:3}", "?var=val"],
    ["{?list}", "?list=red,green,blue"],
    ["{?list*}", "?list=red&list=green&list=blue"],
    ["{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"],
    ["{?keys*}", "?semi=%3B&dot=.&comma=%2C"]
  ],
  "3.2.9 Form-style query continuation": [
    ["{&who}", "&who=fred"],
    ["{&half}", "&half=50%25"],
    ["?fixed=yes{&x}", "?fixed=yes&x=1024"],
    ["{&x,y,empty}", "&x=1024&y=768&empty="],
    ["{&x,y,undef}", "&x=1024&y=768"],
    ["{&var:3}", "&var=val"],
    ["{&list}", "&list=red,green,blue"],
    ["{&list*}", "&list=red&list=green&list=blue"],
    ["{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"],
    ["{&keys*}", "&semi=%3B&dot=.&comma=%2C"]
  ]
}

describe("UriTemplate", () => {
  describe("expands as RFC 6570 says", () => {
    for (const [section, rows] of Object.entries(tables)) {
      it(section, () => {
        for (const [template, uri] of rows) assert.strictEqual(UriTemplate.expand(parse(template), values), uri)
      })
    }

    it("escapes literals where a URI has no place for them, and keeps their escapes", () => {
      // https://www.rfc-editor.org/rfc/rfc6570#section-3.1
      assert.strictEqual(UriTemplate.expand(parse("/a b/ü/%c3%bc?x=[1]&'\""), {}), "/a%20b/%C3%BC/%c3%bc?x=[1]&'%22")
    })

    it("counts prefixes in characters, not in units or bytes", () => {
      assert.strictEqual(UriTemplate.expand(parse("{a:2}"), { a: "😀é!" }), "%F0%9F%98%80%C3%A9")
    })

    it("takes numbers and booleans, and no inherited value", () => {
      assert.strictEqual(UriTemplate.expand(parse("{a}/{b}/{toString}" as string), { a: 7, b: false }), "7/false/")
    })
  })

  describe("matches", () => {
    // A literal head and, between variables, delimiters that no value contains unescaped: nothing is ambiguous.
    const text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(12))
    const isWellFormed = (s: string) => !/\p{Surrogate}/u.test(s)
    const wellFormed = Arbitrary.filter(Arbitrary.schema(text), isWellFormed)
    const possiblyEmpty = Arbitrary.filter(Arbitrary.schema(Schema.String), isWellFormed)

    it.effect.prop(
      "match(expand(values)) = values, where the template is unambiguous",
      {
        a: wellFormed,
        b: wellFormed,
        path: wellFormed,
        segments: Arbitrary.array(wellFormed, { minLength: 1, maxLength: 4 }),
        q: possiblyEmpty,
        tags: Arbitrary.array(possiblyEmpty, { minLength: 1, maxLength: 4 })
      },
      ({ a, b, path, q, segments, tags }) =>
        Effect.sync(() => {
          // An escape within a value of `{+path}` or `{#q}` is kept as it is, so that it comes back decoded.
          const plainPath = path.replaceAll("%", "")
          const cases: ReadonlyArray<readonly [string, { readonly [name: string]: UriTemplate.Value }]> = [
            ["x://{a}", { a }],
            ["x://{a}/{b}", { a, b }],
            ["x://{a,b}", { a, b }],
            ["x://{a:3}/{a}", { a }],
            ["x://{a}{?q,tags*}", { a, q, tags }],
            ["x://{a}{?q,tags*}", { a, tags }],
            ["x://{a}{?q,tags*}", { a }],
            ["x://{a}?fixed=1{&q}", { a, q }],
            ["x://{a}{;q,b}/z", { a, b, q }],
            ["x:/{/segments*}{?q}", { segments, q }],
            ["x://{a}{#q}", { a, q: q.replaceAll("%", "") }],
            ["x://{a}{/q}", { a, q }],
            ["x{.q}", { q }],
            ...(plainPath === "" ? [] : [["x://{+plainPath}", { plainPath }] as const])
          ]
          for (const [template, vars] of cases) {
            const uri = UriTemplate.expand(parse(template), vars)
            assert.deepStrictEqual(match(template, uri), vars, `${template} with ${uri}`)
          }
        })
    )

    it.effect.prop(
      "never throws, whatever the template, the values and the URI",
      { template: Schema.String, uri: Schema.String, inside: Schema.String, value: Schema.String },
      ({ inside, template, uri, value }) =>
        Effect.sync(() => {
          for (const source of [template, `{${inside}}`, `a{+b}${template}`, "{a}{+b}{?c}"]) {
            const parsed = UriTemplate.parse(source)
            if (Result.isFailure(parsed)) {
              assert.isTrue(parsed.failure.position >= 0 && parsed.failure.position <= source.length)
              continue
            }
            UriTemplate.match(parsed.success, uri)
            UriTemplate.expand(parsed.success, { a: value, b: [value], c: { [value]: value } })
          }
        })
    )

    it("text without an expression is a template of itself", () => {
      assert.deepStrictEqual(match("config://app", "config://app"), {})
      assert.isUndefined(match("config://app", "config://app2"))
      assert.isUndefined(match("config://app", "config://ap"))
      assert.deepStrictEqual(match("", ""), {})
    })

    it("each operator", () => {
      assert.deepStrictEqual(match("x://{a}", "x://1"), { a: "1" })
      assert.deepStrictEqual(match("x://{+a}", "x://1/2?3#4"), { a: "1/2?3#4" })
      assert.deepStrictEqual(match("x{#a}", "x#1/2"), { a: "1/2" })
      assert.deepStrictEqual(match("x{/a,b}", "x/1/2"), { a: "1", b: "2" })
      assert.deepStrictEqual(match("x{/a,b}", "x/1"), { a: "1" })
      assert.deepStrictEqual(match("x{?a,b}", "x?a=1&b=2"), { a: "1", b: "2" })
      assert.deepStrictEqual(match("x?f=0{&a}", "x?f=0&a=1"), { a: "1" })
      assert.deepStrictEqual(match("x{.a,b}", "x.1.2"), { a: "1", b: "2" })
      assert.deepStrictEqual(match("x{;a,b}", "x;a=1;b"), { a: "1", b: "" })
    })

    it("a variable without a sign needs a character, one with a sign may be absent or empty", () => {
      for (const template of ["x://{a}", "x://{+a}"]) assert.isUndefined(match(template, "x://"))
      for (const sign of ["#", "/", "?", "&", ".", ";"]) assert.deepStrictEqual(match(`x{${sign}a}`, "x"), {})
      for (const [sign, uri] of [["#", "x#"], ["/", "x/"], ["?", "x?a="], [".", "x."], [";", "x;a"]]) {
        assert.deepStrictEqual(match(`x{${sign}a}`, uri!), { a: "" })
      }
    })

    it("query parameters in any order, none twice, none that is not named", () => {
      assert.deepStrictEqual(match("x{?a,b,c*}", "x?c=1&b=2&c=3&a=4"), { a: "4", b: "2", c: ["1", "3"] })
      assert.isUndefined(match("x{?a}", "x?a=1&a=2"))
      assert.isUndefined(match("x{?a}", "x?b=1"))
      assert.isUndefined(match("x{?a}", "x?"))
      assert.deepStrictEqual(match("x{?a,ab}", "x?ab=1"), { ab: "1" })
    })

    it("takes the URI apart first and decodes then", () => {
      assert.deepStrictEqual(match("x://{a}/{b}", "x://%2F/%3F"), { a: "/", b: "?" })
      assert.deepStrictEqual(match("x{?a}", "x?a=%26b%3D1"), { a: "&b=1" })
      // The 2 in the escape of a space is no delimiter.
      assert.deepStrictEqual(match("{a}2{b}", "x%20y2z"), { a: "x y", b: "z" })
      // A plus sign is a plus sign: RFC 6570 writes a space as %20.
      assert.deepStrictEqual(match("x{?a}", "x?a=1+1"), { a: "1+1" })
    })

    it("splits at the first place that lets the rest match", () => {
      assert.deepStrictEqual(match("f://{+path}/{name}", "f://a/b/c.md"), { path: "a/b", name: "c.md" })
      assert.deepStrictEqual(match("{a}-{b}", "x-y-z"), { a: "x", b: "y-z" })
      assert.deepStrictEqual(match("{a}.json", "x.json.json"), { a: "x.json" })
      assert.deepStrictEqual(match("f://{+path}{?q}", "f://a?b?q=1"), { path: "a?b", q: "1" })
      assert.deepStrictEqual(match("{a}{b}{c}", "xyz12"), { a: "x", b: "y", c: "z12" })
    })

    it("the same variable twice means the same value", () => {
      assert.deepStrictEqual(match("{a}/{a}", "1/1"), { a: "1" })
      assert.isUndefined(match("{a}/{a}", "1/2"))
      assert.deepStrictEqual(match("{/a:1,a}", "/v/value"), { a: "value" })
      assert.isUndefined(match("{/a:1,a}", "/w/value"))
      assert.deepStrictEqual(match("{a:3}", "val"), { a: "val" })
      assert.isUndefined(match("{a:3}", "value"))
    })

    it("URIs that RFC 3986 calls equivalent match alike; what is no URI is read as it was meant, or not at all", () => {
      assert.deepStrictEqual(match("x://~ü/{a}", "x://%7e%c3%bc/%41%7E"), { a: "A~" })
      assert.deepStrictEqual(match("x://{a}", "x://São Paulo"), { a: "São Paulo" })
      for (const uri of ["x://100%", "x://%zz", "x://%ff", "x://%c3"]) assert.isUndefined(match("x://{a}", uri))
    })

    it("names such as __proto__ are names", () => {
      const found = match("x{?__proto__,constructor}", "x?__proto__=1")
      assert.deepStrictEqual(Object.entries(found!), [["__proto__", "1"]])
      assert.isFalse("1" in Object.prototype)
    })
  })

  describe("costs", () => {
    // Work is counted in steps of the automaton; every doubling of the URI may at most double it.
    const hostile: ReadonlyArray<readonly [string, (n: number) => string]> = [
      ["{a}{b}{c}{d}{e}{f}{g}{h}!", (n) => "a".repeat(n)],
      ["{+a}{+b}{+c}{+d}{+e}{+f}!", (n) => "a/".repeat(n / 2)],
      ["{+a}/{+b}/{+c}/{+d}/z", (n) => "/".repeat(n)],
      ["x{/id*}!", (n) => `x${"/a,b".repeat(n / 4)}/`],
      ["x{?tags*,a,b,c}!", (n) => `x?${"tags=1&".repeat(n / 7)}`],
      ["{a}.{b}.{c}.{d}.z", (n) => "a.".repeat(n / 2)]
    ]

    it("grow linearly with the URI", () => {
      for (const [template, uri] of hostile) {
        const steps = [1000, 2000, 4000, 8000].map((n) => UriTemplate.matchSteps(parse(template), uri(n)))
        for (let i = 1; i < steps.length; i++) {
          assert.isAtMost(steps[i]! / steps[i - 1]!, 2.1, `${template}: ${steps.join(", ")}`)
        }
        assert.isUndefined(match(template, uri(8000)))
      }
    })

    it("grow linearly with the template", () => {
      const uri = "a".repeat(1000)
      const steps = [8, 16, 32, 64].map((n) => UriTemplate.matchSteps(parse(`${"{a}".repeat(n)}!`), uri))
      for (let i = 1; i < steps.length; i++) assert.isAtMost(steps[i]! / steps[i - 1]!, 2.1, steps.join(", "))
    })

    it("are bounded: longer templates are refused, longer URIs match nothing", () => {
      assert.isTrue(Result.isFailure(UriTemplate.parse("a".repeat(UriTemplate.maxTemplateLength + 1))))
      const longest = `x${"a".repeat(UriTemplate.maxUriLength - 1)}`
      assert.isDefined(match("x{a}", longest))
      assert.isUndefined(match("x{a}", `${longest}a`))
    })
  })

  it("refuses what is no template, naming the position and the way out", () => {
    const cases: ReadonlyArray<readonly [template: string, position: number, problem: RegExp]> = [
      ["x://{name", 4, /never closed/],
      ["x://name}", 8, /closes nothing/],
      ["x://{}", 5, /empty/],
      ["x://{?}", 6, /missing/],
      ["x://{a,,b}", 7, /missing/],
      ["x://{user-id}", 5, /letters, digits and underscores/],
      ["x://{with space}", 5, /letters, digits/],
      ["x://{a..b}", 5, /single dots/],
      ["x://{=a}", 5, /reserved/],
      ["x://{a:0}", 7, /1 to 9999/],
      ["x://{a:12345}", 7, /1 to 9999/],
      ["x://{ab,c:3*}", 9, /not both/],
      ["x://{a{b}}", 5, /letters, digits/],
      ["x://50%/{a}", 6, /%25/]
    ]
    for (const [template, position, problem] of cases) {
      const parsed = UriTemplate.parse(template)
      assert.isTrue(Result.isFailure(parsed), template)
      if (Result.isFailure(parsed)) {
        assert.strictEqual(parsed.failure.position, position, template)
        assert.match(parsed.failure.message, problem)
        assert.include(parsed.failure.message, `position ${position}`)
      }
    }
  })

  it("names its variables, in values and in types", () => {
    const template = parse("city://{name}/{+path}{?q,tags*,name:3}{&v.w}")
    assert.deepStrictEqual(UriTemplate.variableNames(template), ["name", "path", "q", "tags", "v.w"])

    type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false
    const names: Equal<
      UriTemplate.Variables<"city://{name}/{+path}{?q,tags*,name:3}{&v.w}">,
      "name" | "path" | "q" | "tags" | "v.w"
    > = true
    const none: Equal<UriTemplate.Variables<"city://all">, never> = true
    const any: Equal<UriTemplate.Variables<string>, string> = true
    const matched: Equal<
      UriTemplate.Match<"city://{name}/{?q,tags*}">,
      { readonly name: string; readonly q?: string; readonly tags?: ReadonlyArray<string> }
    > = true
    assert.isTrue(names && none && any && matched)
  })
})
