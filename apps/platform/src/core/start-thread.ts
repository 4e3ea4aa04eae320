import { Worker } from 'node:worker_threads'
import { inheritedFlags, starterOf } from './type-stripping.ts'

/** Runs a module of ours in a worker thread. */
export const startThread = (module: URL, workerData?: unknown): Worker =>
  new Worker(starterOf(module), { workerData, argv: [module.href], execArgv: inheritedFlags })
