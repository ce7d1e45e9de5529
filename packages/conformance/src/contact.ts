// A JSON Schema with everything that draft 2020-12 has to offer, and the Effect Schema that says the same.
import { Schema } from "effect"

/** Advertised word for word: `$anchor`, `$ref`, `allOf` and `if` have no counterpart in an Effect Schema. */
export const contactSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } }
    }
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" }
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema; nobody awaits this object
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false
}

const optionalString = Schema.optionalKey(Schema.String)

/** Enforced: what the JSON Schema above demands, as far as Effect is concerned. */
export const Contact = Schema.Struct({
  name: optionalString,
  address: Schema.optionalKey(Schema.Struct({ street: optionalString, city: optionalString })),
  contactMethod: Schema.optionalKey(Schema.Literals(["phone", "email"])),
  phone: optionalString,
  email: optionalString
}).check(
  Schema.makeFilter(
    ({ contactMethod, email, phone }) => (contactMethod === "phone" ? phone : email) !== undefined,
    { expected: "a phone number where contactMethod is \"phone\", an email address otherwise" }
  )
)
