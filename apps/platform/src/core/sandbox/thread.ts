import { setPriority } from 'node:os'
import { DeepJsonError, readJson } from '../json-depth.ts'
import { startThread } from '../start-thread.ts'
import {
  deepestValue,
  maxTextLength,
  newSharedMemory,
  notStarted,
  sharedMemory,
  slots,
  type Job,
  type JsonOutcome,
  type ThreadData,
  type ThreadMessage,
} from './messages.ts'
import { longMs, longPriority } from './program-priority.ts'
import { CallError, type HostCall, type LogLine, type Outcome, type StopReason } from './sandbox.ts'

interface Watch {
  calls?: Readonly<Record<string, HostCall>> | undefined
  onLog?: ((line: LogLine) => void) | undefined
  signal?: AbortSignal | undefined
}

/** The outcome of a job. */
export interface ThreadEnd {
  outcome: Outcome
  results: Outcome[]
  /** The batch input that was running. */
  at: number
  log: LogLine[]
  fuel: number
  milliseconds: number
  isSpent: boolean
}

/** A thread with QuickJS in it. */
export interface SandboxThread {
  /** The owner of its programs; null before the first. */
  owner: () => string | null
  /** Rejects if the thread cannot start at all. */
  isReady: Promise<void>
  /** One job at a time. Whatever the program does, this returns within the limits. */
  run: (job: Job, watch: Watch) => Promise<ThreadEnd>
  close: () => Promise<unknown>
}

export function startSandboxThread(wasm: WebAssembly.Module, memoryPages: number): SandboxThread {
  const shared = newSharedMemory()
  const { numbers, answer } = sharedMemory(shared)
  const data: ThreadData = { wasm, memoryPages, shared }
  const worker = startThread(new URL('./program-thread.ts', import.meta.url), data)
  let owner: string | null = null
  let systemThread: number | null = null
  let listen: (message: ThreadMessage) => void = () => {}
  let onLost: (error: Error) => void = () => {}

  const isReady = new Promise<void>((resolve, reject) => {
    listen = (message) => {
      if (message.type !== 'ready') return
      systemThread = message.thread
      resolve()
    }
    onLost = reject
  }).finally(() => worker.unref())
  worker.on('message', (message: ThreadMessage) => listen(message))
  worker.on('error', (error) => onLost(error))
  worker.on('exit', () => onLost(new Error('A thread of the sandbox has ended.')))

  /** Passes the answer of a call and wakes the thread. */
  function reply(given: { value: unknown } | { error: unknown }): void {
    const text = JSON.stringify(given)
    const isLong = text.length > maxTextLength
    const error = { name: 'RangeError', message: 'The answer of the call is too long.' }
    const { written } = new TextEncoder().encodeInto(
      isLong ? JSON.stringify({ error }) : text,
      answer,
    )
    Atomics.store(numbers, slots.length, written)
    Atomics.store(numbers, slots.state, 1)
    Atomics.notify(numbers, slots.state)
  }

  function run(job: Job, { calls = {}, onLog, signal }: Watch): Promise<ThreadEnd> {
    owner = job.owner
    numbers.fill(0)
    Atomics.store(numbers, slots.item, notStarted)
    worker.ref()
    return new Promise((resolve) => {
      const start = performance.now()
      const log: LogLine[] = []
      let lastItem = notStarted
      // An unprivileged process cannot raise a thread's priority again, so a lowered one is not
      // reused.
      let isLowered = false
      const short = stopwatch(longMs, () => {
        isLowered = lower(systemThread)
      })
      const computing = stopwatch(job.limits.computeMs, () => {
        // Each input of a batch has its own time limit.
        const item = Atomics.load(numbers, slots.item)
        if (item === lastItem) stop('deadline')
        else computing.restart()
        lastItem = item
      })
      const deadline =
        job.type === 'run' ? setTimeout(() => stop('deadline'), job.limits.deadlineMs) : undefined
      const cancel = () => stop('cancelled')
      signal?.addEventListener('abort', cancel, { once: true })

      const finish = (outcome: JsonOutcome, results: JsonOutcome[], isDamaged: boolean) => {
        const isSpent = isDamaged || isLowered
        computing.stop()
        short.stop()
        clearTimeout(deadline)
        signal?.removeEventListener('abort', cancel)
        listen = () => {}
        onLost = () => {}
        worker.unref()
        if (isSpent) void worker.terminate()
        resolve({
          outcome: parsed(outcome),
          results: results.map((each) => parsed(each)),
          at: Atomics.load(numbers, slots.item),
          log,
          fuel: Atomics.load(numbers, slots.fuel),
          milliseconds: performance.now() - start,
          isSpent,
        })
      }
      const answerCall = async (call: { name: string; args: string }) => {
        const given = await answerOf(calls, call)
        // It may have been stopped meanwhile; then nobody reads the answer.
        reply(given)
        computing.resume()
        if (!isLowered) short.resume()
      }
      const stop = (reason: StopReason) => finish({ outcome: 'stopped', reason }, [], true)

      // If a running thread dies, its program is the cause, usually by running out of memory.
      onLost = () => stop('memory')
      listen = (message) => {
        switch (message.type) {
          case 'log': {
            const line = { at: Math.round(performance.now() - start), text: shown(message.text) }
            log.push(line)
            onLog?.(line)
            return
          }
          case 'call': {
            computing.pause()
            short.pause()
            void answerCall(message)
            return
          }
          case 'end':
            finish(message.outcome, message.results, message.isSpent)
        }
      }
      if (signal?.aborted) return cancel()
      worker.postMessage(job, [])
    })
  }

  return { owner: () => owner, isReady, run, close: () => worker.terminate() }
}

/** False if threads have no priority of their own. */
function lower(systemThread: number | null): boolean {
  if (systemThread === null) return false
  try {
    setPriority(systemThread, longPriority)
    return true
  } catch {
    // It has just ended.
    return false
  }
}

type Answer = { value: unknown } | { error: Record<string, unknown> }

async function answerOf(
  calls: Readonly<Record<string, HostCall>>,
  { name, args }: { name: string; args: string },
): Promise<Answer> {
  try {
    const call = Object.hasOwn(calls, name) ? calls[name] : undefined
    if (!call) throw new CallError('TypeError', `There is no ${name}.`)
    return { value: (await call(...(parseJson(args) as unknown[]))) ?? null }
  } catch (error) {
    if (error instanceof DeepJsonError)
      return {
        error: { name: 'RangeError', message: 'The arguments of the call are nested too deeply.' },
      }
    if (!(error instanceof CallError))
      // Its message could contain what only the platform may know.
      return { error: { name: 'Error', message: 'The call failed because of a platform error.' } }
    return { error: { ...error.properties, name: error.name, message: error.message } }
  }
}

function parsed(outcome: JsonOutcome): Outcome {
  if (outcome.outcome === 'returned') return { outcome: 'returned', value: parseJson(outcome.json) }
  if (outcome.outcome === 'stopped') return outcome
  const { name, message, stack } = outcome
  return { ...outcome, name: shown(name), message: shown(message), stack: shown(stack) }
}

/** Text that a database accepts. */
const shown = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{FFFD}')

/**
 * A value from a program. It cannot set the prototype of the object it is copied into.
 * @throws DeepJsonError
 */
const parseJson = (text: string): unknown =>
  readJson(
    text,
    deepestValue,
    text.includes('__proto__')
      ? (key, value) => (key === '__proto__' ? undefined : value)
      : undefined,
  )

/** Fires after a time that stands still while paused. */
function stopwatch(ms: number, ring: () => void) {
  let left = ms
  let since = performance.now()
  let timer: NodeJS.Timeout | undefined = setTimeout(ring, left)
  return {
    pause() {
      clearTimeout(timer)
      left -= performance.now() - since
      timer = undefined
    },
    resume() {
      if (timer || left === -Infinity) return
      since = performance.now()
      timer = setTimeout(ring, Math.max(0, left))
    },
    restart() {
      clearTimeout(timer)
      left = ms
      since = performance.now()
      timer = setTimeout(ring, ms)
    },
    stop() {
      clearTimeout(timer)
      left = -Infinity
      timer = undefined
    },
  }
}
