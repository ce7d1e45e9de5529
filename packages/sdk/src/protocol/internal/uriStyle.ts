/** How each operator of a URI template writes values: separators, names, and which characters are escaped. */

export type Sign = "+" | "#" | "." | "/" | ";" | "?" | "&"

const utf8 = new TextEncoder()

/** A lone surrogate has no UTF-8 form; the encoder writes U+FFFD in its place. */
const escape = (text: string): string => {
  let out = ""
  for (const byte of utf8.encode(text)) out += `%${byte < 16 ? "0" : ""}${byte.toString(16).toUpperCase()}`
  return out
}

const encodeUnreserved = (text: string): string => text.replace(/[^A-Za-z0-9\-._~]+/g, escape)

/** Reserved characters and whole escapes stay as they are. */
export const encodeReserved = (text: string): string =>
  text.replace(
    /%[0-9A-Fa-f]{2}|%|[^%A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]+/g,
    (found) => found.length === 3 && found.startsWith("%") ? found : escape(found)
  )

export interface Style {
  /** What an expression begins with, where it expands to anything. */
  readonly lead: string
  readonly separator: string
  /** Whether values are written as `name=value`. */
  readonly named: boolean
  /** What stands between a name and an empty value. */
  readonly empty: string
  readonly encode: (text: string) => string
}

/** The table of https://www.rfc-editor.org/rfc/rfc6570#appendix-A */
export const styles: { readonly [Operator in "" | Sign]: Style } = {
  "": { lead: "", separator: ",", named: false, empty: "", encode: encodeUnreserved },
  "+": { lead: "", separator: ",", named: false, empty: "", encode: encodeReserved },
  "#": { lead: "#", separator: ",", named: false, empty: "", encode: encodeReserved },
  ".": { lead: ".", separator: ".", named: false, empty: "", encode: encodeUnreserved },
  "/": { lead: "/", separator: "/", named: false, empty: "", encode: encodeUnreserved },
  ";": { lead: ";", separator: ";", named: true, empty: "", encode: encodeUnreserved },
  "?": { lead: "?", separator: "&", named: true, empty: "=", encode: encodeUnreserved },
  "&": { lead: "&", separator: "&", named: true, empty: "=", encode: encodeUnreserved }
}

export const take = (text: string, count: number | undefined): string =>
  // No code point is longer than two units, so a short text needs no walk.
  count === undefined || text.length <= count ? text : Array.from(text.slice(0, count * 2)).slice(0, count).join("")
