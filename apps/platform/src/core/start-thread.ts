import { Worker } from 'node:worker_threads'
import { stripsTypes } from './type-stripping.ts'

/** Runs a TypeScript module in a worker thread. */
export function startThread(module: URL, workerData?: unknown): Worker {
  const file = stripsTypes ? module : new URL('./thread-node20.mjs', import.meta.url)
  return new Worker(file, { workerData, argv: [module.href], execArgv: [] })
}
