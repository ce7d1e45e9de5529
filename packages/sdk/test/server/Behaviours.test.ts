import { behaviours } from "../suite/behaviours.ts"
import { pipes } from "../suite/pipes.ts"

for (const [name, open] of Object.entries(pipes)) behaviours(name, open)
