import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core'
import { isDeepJson } from '../json-depth.ts'
import {
  deepestValue,
  maxLineLength,
  maxTextLength,
  sharedMemory,
  slots,
  type Job,
  type JsonOutcome,
  type ThreadMessage,
} from './messages.ts'
import { preludeOf } from './prelude.ts'
import type { StopReason } from './sandbox.ts'
import { placeIn } from './stack.ts'

interface Instance {
  engine: QuickJSWASMModule
  memory: WebAssembly.Memory
}

interface Host {
  shared: SharedArrayBuffer
  send: (message: ThreadMessage) => void
}

/** QuickJS mostly enforces this itself; the thread's memory is the hard limit. */
const bytesOfProgram = 20 * 1024 * 1024
const bytesOfStack = 256 * 1024
/** Memory that has grown this large is not reused. */
const maxBytesKept = 24 * 1024 * 1024
/** Promise jobs use little fuel themselves: this many cost one unit. */
const promiseJobs = 100

const prelude = preludeOf({ maxLineLength, maxTextLength })
const preludeName = 'sandbox.js'

type End = Extract<ThreadMessage, { type: 'end' }>

/** Runs a job in a fresh context. */
export function runJob({ engine, memory }: Instance, job: Job, { shared, send }: Host): End {
  const { numbers, answer } = sharedMemory(shared)
  const { limits } = job
  const results: JsonOutcome[] = []
  let stopped: StopReason | undefined
  let isSpent = false
  let fuel = 0
  let fuelEnd = limits.fuel
  let calls = 0
  let lines = 0
  let characters = 0

  const runtime = engine.newRuntime()
  runtime.setMemoryLimit(bytesOfProgram)
  runtime.setMaxStackSize(bytesOfStack)
  const isStopped = () => stopped !== undefined
  const spend = () => {
    Atomics.store(numbers, slots.fuel, ++fuel)
    if (fuel > fuelEnd) stopped ??= 'fuel'
    return isStopped()
  }
  runtime.setInterruptHandler(spend)
  const vm = runtime.newContext()
  const handles: QuickJSHandle[] = []
  const keep = (handle: QuickJSHandle): QuickJSHandle => {
    handles.push(handle)
    return handle
  }
  /** For the platform's own code, which does not fail. */
  const sure = (result: ReturnType<QuickJSContext['evalCode']>) => keep(vm.unwrapResult(result))
  const textOf = (handle: QuickJSHandle) => handle.consume((each) => vm.getString(each))

  const hostLog = vm.newFunction('log', (text) => {
    const line = JSON.parse(vm.getString(text)) as string
    lines++
    characters += line.length
    if (lines > limits.logLines || characters > limits.logCharacters) {
      stopped ??= 'log'
      return vm.true
    }
    send({ type: 'log', text: line })
    return vm.false
  })
  const hostCall = vm.newFunction('call', (name, args) => {
    if (++calls > limits.calls) throw new Error(`A program can make at most ${limits.calls} calls.`)
    Atomics.store(numbers, slots.state, 0)
    send({ type: 'call', name: vm.getString(name), args: vm.getString(args) })
    Atomics.wait(numbers, slots.state, 0)
    const bytes = answer.slice(0, Atomics.load(numbers, slots.length))
    return vm.newString(Buffer.from(bytes.buffer).toString('utf8'))
  })

  /** The error as the program sees it, unless it was stopped. */
  function outcomeOf(error: QuickJSHandle, describe: QuickJSHandle): JsonOutcome {
    if (stopped) return { outcome: 'stopped', reason: stopped }
    // Code that describes an error must itself run.
    fuelEnd = fuel + 100
    const described = vm.callFunction(describe, vm.undefined, keep(error))
    if (described.error) {
      keep(described.error)
      return { outcome: 'stopped', reason: stopped ?? 'memory' }
    }
    const { name, message, stack } = JSON.parse(textOf(described.value)) as Described
    if (name === 'InternalError' && message === 'out of memory')
      return { outcome: 'stopped', reason: 'memory' }
    return {
      outcome: 'threw',
      name,
      message,
      ...placeIn(stack, job.name),
      stack: ownFrames(stack),
    }
  }

  /** The value of a promise, once no jobs are left; any other value unchanged. */
  function settled(
    value: QuickJSHandle,
  ): { value: QuickJSHandle } | { error: QuickJSHandle } | 'never' {
    while (runtime.hasPendingJob() && !isStopped()) {
      const ran = runtime.executePendingJobs(promiseJobs)
      if (ran.error) ran.error.dispose()
      spend()
    }
    const state = vm.getPromiseState(value)
    if (state.type === 'pending') return 'never'
    return state.type === 'rejected' ? { error: state.error } : { value: keep(state.value) }
  }

  function read(value: QuickJSHandle, { finish, describe }: Tools): JsonOutcome {
    const end = settled(keep(value))
    if (stopped) return { outcome: 'stopped', reason: stopped }
    if (end === 'never')
      return thrown('Error', 'The promise that the program returned never settles.')
    if ('error' in end) return outcomeOf(end.error, describe)
    const json = vm.callFunction(finish, vm.undefined, end.value)
    return json.error ? outcomeOf(json.error, describe) : valueOf(textOf(json.value))
  }

  function startPrelude(): Tools {
    const isRun = job.type === 'run'
    const start = sure(vm.evalCode(prelude, preludeName, global))
    const names = keep(vm.newString(JSON.stringify(isRun ? job.calls : [])))
    const input = keep(vm.newString(isRun ? job.input : 'null'))
    const given = [keep(hostCall), keep(hostLog), names, input]
    const tools = sure(vm.callFunction(start, vm.undefined, ...given))
    if (isRun && job.prelude !== '') sure(vm.evalCode(job.prelude, preludeName, global))
    const tool = (name: keyof Tools) => keep(vm.getProp(tools, name))
    return { finish: tool('finish'), apply: tool('apply'), describe: tool('describe') }
  }

  function perform(): JsonOutcome {
    const tools = startPrelude()
    if (job.type === 'check') {
      const found = vm.evalCode(job.code, job.name, { ...global, compileOnly: true })
      if (found.error) return outcomeOf(found.error, tools.describe)
      keep(found.value)
      return nothing
    }
    const program = vm.evalCode(job.code, job.name, global)
    if (program.error) return outcomeOf(program.error, tools.describe)
    if (job.function === null) return read(program.value, tools)
    keep(program.value)
    const name = job.function
    const called = sure(
      vm.evalCode(`typeof ${name} === 'function' ? ${name} : undefined`, preludeName, global),
    )
    if (vm.typeof(called) !== 'function')
      return thrown('ReferenceError', `The program has no function ${name}.`)
    if (job.type === 'batch') return performBatch(job.inputs, called, tools)
    const input = sure(vm.evalCode('input', preludeName, global))
    const answered = vm.callFunction(called, vm.undefined, input)
    return answered.error ? outcomeOf(answered.error, tools.describe) : read(answered.value, tools)
  }

  function performBatch(
    inputs: readonly string[],
    called: QuickJSHandle,
    { apply, describe }: Tools,
  ): JsonOutcome {
    for (const [item, text] of inputs.entries()) {
      Atomics.store(numbers, slots.item, item)
      fuelEnd = fuel + limits.fuel
      const input = vm.newString(text)
      const answered = vm.callFunction(apply, vm.undefined, called, input)
      input.dispose()
      const outcome = answered.error
        ? outcomeOf(answered.error, describe)
        : valueOf(textOf(answered.value))
      if (outcome.outcome === 'stopped') return outcome
      results.push(outcome)
    }
    return nothing
  }

  let outcome: JsonOutcome
  try {
    outcome = perform()
  } catch (error) {
    // The engine itself gave up: this thread's state is undefined.
    isSpent = true
    outcome = stopped
      ? { outcome: 'stopped', reason: stopped }
      : error instanceof RangeError
        ? thrown('RangeError', 'The program is nested too deeply.')
        : { outcome: 'stopped', reason: 'memory' }
  }
  isSpent ||= outcome.outcome === 'stopped' || memory.buffer.byteLength > maxBytesKept
  // No cleanup if the thread ends anyway.
  if (!isSpent) isSpent = !disposed([...handles, vm, runtime])
  return { type: 'end', outcome, results, isSpent }
}

interface Tools {
  finish: QuickJSHandle
  apply: QuickJSHandle
  describe: QuickJSHandle
}

interface Described {
  name: string
  message: string
  stack: string
}

const global = { type: 'global' } as const
const nothing: JsonOutcome = { outcome: 'returned', json: 'null' }

const ownFrames = (stack: string) =>
  stack
    .split('\n')
    .filter((line) => !line.includes(preludeName))
    .join('\n')

const thrown = (name: string, message: string): JsonOutcome => ({
  outcome: 'threw',
  name,
  message,
  line: null,
  column: null,
  stack: '',
})

function valueOf(json: string): JsonOutcome {
  if (json.length > maxTextLength)
    return thrown(
      'RangeError',
      `The value of a program can have at most ${maxTextLength} characters.`,
    )
  return isDeepJson(json, deepestValue)
    ? thrown('RangeError', `The value of a program can have at most ${deepestValue} levels.`)
    : { outcome: 'returned', json }
}

/** Whether the engine released everything: a leak would affect the next program. */
function disposed(list: readonly { alive: boolean; dispose: () => void }[]): boolean {
  try {
    for (const each of list) if (each.alive) each.dispose()
    return true
  } catch {
    return false
  }
}
