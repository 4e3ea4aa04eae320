import { readlinkSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import variant from '@jitl/quickjs-wasmfile-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import type { Job, ThreadData, ThreadMessage } from './messages.ts'
import { runJob } from './run-job.ts'

/** proc(5): the link reads `PID/task/TID`. */
const threadOfSystem = () =>
  process.platform === 'linux' ? Number(readlinkSync('/proc/thread-self').split('/').at(-1)) : null

const { wasm, memoryPages, shared } = workerData as ThreadData

const silent = { print: () => {}, printErr: () => {} }

async function instantiate() {
  const memory = new WebAssembly.Memory({ initial: 256, maximum: memoryPages })
  const engine: QuickJSWASMModule = await newQuickJSWASMModuleFromVariant(
    newVariant(variant, {
      wasmModule: wasm,
      wasmMemory: memory,
      emscriptenModule: silent as object,
    }),
  )
  return { engine, memory }
}

const send = (message: ThreadMessage) => parentPort?.postMessage(message, [])

let instance = instantiate()
let owner: string | null = null

async function perform(job: Job): Promise<void> {
  // Nothing that one owner left in memory is visible to another.
  if (owner !== null && owner !== job.owner) instance = instantiate()
  owner = job.owner
  send(runJob(await instance, job, { shared, send }))
}

parentPort?.on('message', (job: Job) => void perform(job))

await instance
send({ type: 'ready', thread: threadOfSystem() })
