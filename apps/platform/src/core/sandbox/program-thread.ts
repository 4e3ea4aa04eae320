import { setPriority } from 'node:os'
import { programPriority } from './program-priority.ts'

// The thread that programs run in. It knows no secret and nothing of the platform. On Linux a thread has
// a priority of its own: requests come before programs, and before the engine is loaded for them.
if (process.platform === 'linux') setPriority(0, programPriority)

await import('./program-engine.ts')
