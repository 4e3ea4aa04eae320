import { setPriority } from 'node:os'
import { programPriority } from './program-priority.ts'

// The thread that runs programs. It has no secrets and knows nothing of the platform. On Linux
// threads have their own priority: requests take precedence over programs, and over loading their
// engine.
if (process.platform === 'linux') setPriority(0, programPriority)

await import('./program-engine.ts')
