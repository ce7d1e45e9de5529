// How the tour draws: plain lines, with colour and a bar that moves where a terminal shows them.
import type { Progress } from "@effect-mcp/sdk"
import { Effect } from "effect"
import { styleText } from "node:util"

const { stdout } = process
const isTerminal = stdout.isTTY === true
// The empty string counts as absent: https://no-color.org
const hasColour = isTerminal && !process.env["NO_COLOR"]

const paint = (style: Parameters<typeof styleText>[0], text: string) =>
  hasColour ? styleText(style, text, { validateStream: false }) : text

// A reader that leaves early, such as `head`, ends the tour without a fuss.
stdout.on("error", () => process.exit(0))

const print = (text: string) =>
  Effect.sync(() => {
    stdout.write(text)
  })

let steps = 0

/** Opens a step. */
export const step = (title: string) => print(`\n${paint(["bold", "cyan"], `${++steps}. ${title}`)}\n`)

/** A line of a step. */
export const line = (text: string) => print(text.replace(/^(?=.)/gm, "   ") + "\n")

/** The bar of a call: drawn over itself on a terminal, a line a report elsewhere. */
export const bar = ({ message, progress, total = 1 }: Progress.Progress) => {
  const width = 24
  const filled = Math.round((progress / total) * width)
  const text = `   [${paint("green", "#".repeat(filled))}${"-".repeat(width - filled)}] ${progress}/${total} ${
    message ?? ""
  }`
  const ended = progress >= total
  return print(isTerminal ? `\r${text}${ended ? "\n" : ""}` : `${text}\n`)
}

/** Closes the tour. */
export const done = print(`\n${paint("bold", "That was the tour.")} Its source: packages/examples/src/tour.ts\n`)
