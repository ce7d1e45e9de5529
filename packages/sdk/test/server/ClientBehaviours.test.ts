import { clientBehaviours } from "../suite/clientBehaviours.ts"
import { pipes } from "../suite/pipes.ts"

for (const [name, open] of Object.entries(pipes)) clientBehaviours(name, open)
