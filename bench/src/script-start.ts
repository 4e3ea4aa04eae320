import { setTimeout as wait } from 'node:timers/promises'
import variant from '@jitl/quickjs-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core'
import { openSandbox } from '../../apps/platform/src/core/sandbox/open-sandbox.ts'
import type { Sandbox } from '../../apps/platform/src/core/sandbox/sandbox.ts'
import { row, type Benchmark } from './benchmark.ts'
import { median, percentile } from './support/statistics.ts'

/** A typical payload decoder. */
const decoder = `function decode({ payload }) {
  const byteAt = (at) => parseInt(payload.slice(2 * at, 2 * at + 2), 16)
  return { temperature: (byteAt(0) * 256 + byteAt(1)) / 100, battery: byteAt(2), open: byteAt(3) === 1 }
}`
const inputs = Array.from({ length: 256 }, (_, n) => ({
  payload: (n * 65_537 + 0x0a0b0c0d).toString(16).padStart(8, '0'),
}))

export const scriptBenchmark: Benchmark = {
  name: 'scripts',
  title: 'Scripts and handlers',
  how: `Programs in the sandbox of the platform. A start is one program of one line, from the call to its value, with threads that have started; one at a time. The batch is a decoder of four values over ${inputs.length} payloads, JSON in and JSON out; the bare call is the same function in QuickJS in the thread of the measurement, without a thread, limits or outcomes. In turns; medians of the rounds.`,
  run: async ({ isQuick }) => {
    const sandbox = openSandbox()
    try {
      const starts = await startTimes(sandbox, isQuick ? 100 : 1000)
      const { bare, batch } = await throughputs(sandbox, isQuick ? 5 : 25)
      return {
        rows: [
          row('start from the pool, p95', percentile(starts, 0.95), 'ms', {
            budget: { atMost: 5 },
            note: `median ${median(starts).toFixed(2)} ms`,
          }),
          row('batch of a handler, of the bare call', (batch / bare) * 100, '%', {
            budget: { atLeast: 60 },
            note: `${Math.round(batch / 1000)}k events a second, ${Math.round(bare / 1000)}k bare`,
          }),
        ],
      }
    } finally {
      await sandbox.close()
    }
  },
}

async function startTimes(sandbox: Sandbox, count: number): Promise<number[]> {
  const start = async () => {
    const from = performance.now()
    const { outcome } = await sandbox.run({ owner: 'bench', code: '6 * 7' })
    if (outcome !== 'returned') throw new Error(`The program ended as ${outcome}.`)
    return performance.now() - from
  }
  for (let n = 0; n < 20; n++) await start()
  // The pre-started threads are running by then.
  await wait(500)
  const times: number[] = []
  for (let n = 0; n < count; n++) times.push(await start())
  return times
}

/** Events per second. */
async function throughputs(sandbox: Sandbox, rounds: number) {
  const bareRound = await bareDecoder()
  const batchRound = async () => {
    const input = { owner: 'bench', code: decoder, function: 'decode', inputs }
    const { results } = await sandbox.runBatch(input)
    if (results.some(({ outcome }) => outcome !== 'returned')) throw new Error('A decoder failed.')
  }
  const rates = { bare: [] as number[], batch: [] as number[] }
  for (let round = 0; round < rounds + 3; round++) {
    const [bare, batch] = [await rateOf(async () => bareRound()), await rateOf(batchRound)]
    // The first ones warm up.
    if (round < 3) continue
    rates.bare.push(bare)
    rates.batch.push(batch)
  }
  return { bare: median(rates.bare), batch: median(rates.batch) }
}

async function rateOf(round: () => Promise<void>): Promise<number> {
  const repeats = 8
  const from = performance.now()
  for (let n = 0; n < repeats; n++) await round()
  return (repeats * inputs.length * 1000) / (performance.now() - from)
}

async function bareDecoder(): Promise<() => void> {
  const engine = await newQuickJSWASMModuleFromVariant(variant)
  const vm = engine.newContext()
  const source = `${decoder}; (json) => JSON.stringify(decode(JSON.parse(json)))`
  const decode = vm.unwrapResult(vm.evalCode(source, 'decoder.js', { type: 'global' }))
  return () => {
    for (const input of inputs) {
      const text = vm.newString(JSON.stringify(input))
      const value = vm.unwrapResult(vm.callFunction(decode, vm.undefined, text))
      JSON.parse(vm.getString(value))
      value.dispose()
      text.dispose()
    }
  }
}
