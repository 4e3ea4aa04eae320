import { setTimeout as wait } from 'node:timers/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { readdir, readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openSandbox } from './open-sandbox.ts'
import { longMs, longPriority, programPriority } from './program-priority.ts'
import {
  CallError,
  type RunInput,
  type RunResult,
  type Sandbox,
  type SandboxLimits,
  type Turn,
} from './sandbox.ts'

let sandbox: Sandbox
beforeAll(() => {
  sandbox = openSandbox({ most: 4 })
})
afterAll(() => sandbox.close())

const run = (code: string, more: Partial<RunInput> = {}): Promise<RunResult> =>
  sandbox.run({ owner: 'acme', code, ...more })
const valueOf = async (code: string, more: Partial<RunInput> = {}) => {
  const result = await run(code, more)
  return result.outcome === 'returned' ? result.value : expect.fail(JSON.stringify(result))
}

/** How many threads of this process have a nice value (proc(5), field 19 of `stat`). */
async function threadsAt(nice: number): Promise<number> {
  const threads = await readdir('/proc/self/task')
  const stats = await Promise.all(
    threads.map((id) => readFile(`/proc/self/task/${id}/stat`, 'utf8').catch(() => '')),
  )
  const niceOf = (stat: string) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  return stats.filter((stat) => stat !== '' && niceOf(stat) === nice).length
}

describe.runIf(process.platform === 'linux')('the priority of a program', () => {
  test.each([
    ['a loop', 'for (;;) {}'],
    ['a regular expression', `/(a+)+$/.test('a'.repeat(40) + 'b')`],
  ])('falls once %s computes for long, and its thread runs no other @long', async (_what, code) => {
    const stopping = new AbortController()
    const endless = run(code, { signal: stopping.signal, limits: { fuel: 1e9 } })
    await vi.waitFor(async () => expect(await threadsAt(longPriority)).toBe(1), { timeout: 10_000 })
    expect(await valueOf('1 + 1')).toBe(2)
    expect(await threadsAt(programPriority)).toBeGreaterThan(0)
    stopping.abort()
    await endless
    await vi.waitFor(async () => expect(await threadsAt(longPriority)).toBe(0), { timeout: 10_000 })
  })

  test('stays while a program waits for calls @long', async () => {
    const calls = { 'card.wait': () => wait(2 * longMs) }
    await run('card.wait(); card.wait()', { calls })
    expect(await threadsAt(longPriority)).toBe(0)
  })
})

describe('a program', () => {
  test('returns its last value, its log and what it used', async () => {
    const lines: string[] = []
    const result = await run(`log('sum', input.a + 1, { b: [2] }); ({ sum: input.a + 1 })`, {
      input: { a: 1 },
      onLog: ({ text }) => lines.push(text),
    })
    expect(result).toMatchObject({ outcome: 'returned', value: { sum: 2 } })
    expect(lines).toEqual(['sum 2 {"b":[2]}'])
    expect(result.log.map(({ text }) => text)).toEqual(lines)
  })

  test('calls functions of the platform as if they were its own', async () => {
    const calls = {
      'card.read': async (tag: unknown) => ({ tag, bytes: 'C0FFEE' }),
      'card.refuse': async () => {
        throw new CallError('StatusError', 'Not found', { sw: 0x6a82 })
      },
      'card.break': async () => {
        throw new Error('password of the database')
      },
    }
    expect(await valueOf(`card.read('9F7F').bytes + card.read('C0').tag`, { calls })).toBe(
      'C0FFEEC0',
    )
    expect(
      await valueOf(`try { card.refuse() } catch (e) { [e.name, e.message, e.sw] }`, { calls }),
    ).toEqual(['StatusError', 'Not found', 0x6a82])
    expect(await valueOf(`try { card.break() } catch (e) { e.message }`, { calls })).toBe(
      'The call failed because of a platform error.',
    )
  })

  test('may be asynchronous, and a function of it can be called', async () => {
    expect(await valueOf(`(async () => { await null; return 7 })()`)).toBe(7)
    const code = `const decode = async ({ n }) => n * 2`
    expect(await valueOf(code, { function: 'decode', input: { n: 21 } })).toBe(42)
    expect(await run('1', { function: 'decode' })).toMatchObject({
      outcome: 'threw',
      message: 'The program has no function decode.',
    })
  })

  test('that throws reports where: its own line, also for a call and in an asynchronous function', async () => {
    const calls = { fail: async () => Promise.reject(new CallError('CardError', 'no card')) }
    const at = async (code: string, more = {}) => {
      const result = await run(code, more)
      return result.outcome === 'threw' ? [result.name, result.line] : result
    }
    expect(await at(`\n\nnull.x`)).toEqual(['TypeError', 3])
    expect(await at(`const a = 1\nfail()`, { calls })).toEqual(['CardError', 2])
    expect(await at(`(async () => {\n  await null\n  nowhere()\n})()`)).toEqual([
      'ReferenceError',
      3,
    ])
    expect(await at(`let a = 1\nlet b = = 2`)).toEqual(['SyntaxError', 2])
    expect(await run(`throw 5`)).toMatchObject({ outcome: 'threw', message: '5' })
  })

  test('uses the same amount of fuel each time', async () => {
    const code = 'let n = 0; for (let i = 0; i < 300000; i++) n += i; n'
    const [one, other] = [await run(code), await run(code)]
    expect(one.fuel).toBeGreaterThan(10)
    expect(other.fuel).toBe(one.fuel)
  })

  test('is checked without running', async () => {
    expect(await sandbox.check({ owner: 'acme', code: 'for (;;) {}' })).toBe(null)
    expect(await sandbox.check({ owner: 'acme', code: 'if (1) {\n  log(' })).toMatchObject({
      name: 'SyntaxError',
      line: 2,
    })
  })
})

describe('nothing remains of a program', () => {
  test('in the globals of the next one', async () => {
    await run(`Object.prototype.spoilt = 1; Array.prototype.map = null; globalThis.mine = 1
      JSON.parse = () => 'wrong'; JSON.stringify = () => 'wrong'; Promise = null`)
    expect(
      await valueOf(`[typeof mine, {}.spoilt ?? null, [1].map(String), JSON.stringify([1])]`),
    ).toEqual(['undefined', null, ['1'], '[1]'])
    expect(({} as { spoilt?: number }).spoilt).toBe(undefined)
  })

  test('in the prototype of its result', async () => {
    const value = await valueOf(
      `JSON.parse('{"__proto__": {"isAdmin": true}, "a": {"__proto__": 1}}')`,
    )
    expect(Object.keys(value as object)).toEqual(['a'])
    expect({ ...(value as object) }).not.toHaveProperty('isAdmin')
  })

  test('and it cannot reach the platform', async () => {
    const names = [
      'process',
      'require',
      'fetch',
      'Worker',
      'WebAssembly',
      'SharedArrayBuffer',
      'Atomics',
      'setTimeout',
      'postMessage',
    ]
    expect(
      await valueOf(
        `${JSON.stringify(names)}.filter((name) => name !== 'Atomics' && name !== 'SharedArrayBuffer' && name in globalThis)`,
      ),
    ).toEqual([])
    const escapes = [
      `log.constructor('return typeof process')()`,
      `this.constructor.constructor('return typeof process')()`,
      `fail.constructor('return typeof require')()`,
      `try { fail() } catch (e) { e.constructor.constructor('return typeof process')() }`,
      `(async () => {}).constructor('return typeof process')() instanceof Promise ? 'undefined' : 'other'`,
    ]
    const calls = { fail: async () => Promise.reject(new Error('no')) }
    for (const code of escapes)
      expect([code, await valueOf(code, { calls })]).toEqual([code, 'undefined'])
    expect(await run(`import('node:fs').then((fs) => Object.keys(fs).length)`)).toMatchObject({
      outcome: 'threw',
    })
  })
})

/** Malicious programs, each with its outcome. */
const limits = { computeMs: 30_000, deadlineMs: 40_000, fuel: 2000, calls: 500 }
/** For what fuel does not cover. */
const brief = { computeMs: 1000, deadlineMs: 1500 }
const hostile: readonly (readonly [
  name: string,
  code: string,
  expected: object,
  own?: Partial<SandboxLimits>,
])[] = [
  ['an endless loop', 'for (;;) {}', { outcome: 'stopped', reason: 'fuel' }],
  [
    'an endless loop that catches',
    'for (;;) { try { for (;;) {} } catch {} finally { continue } }',
    { outcome: 'stopped', reason: 'fuel' },
  ],
  [
    'a regular expression that backtracks',
    `/^(a+)+$/.test('a'.repeat(40) + 'b')`,
    { outcome: 'stopped', reason: 'fuel' },
  ],
  [
    'a search that fuel does not count @long',
    `('a'.repeat(1e6)).indexOf('a'.repeat(5e5) + 'b')`,
    { outcome: 'stopped', reason: 'deadline' },
    brief,
  ],
  [
    'promises without end @long',
    'const again = () => { Promise.resolve().then(again) }; again()',
    { outcome: 'stopped', reason: 'fuel' },
  ],
  [
    'a promise that never settles',
    'new Promise(() => {})',
    { outcome: 'threw', message: 'The promise that the program returned never settles.' },
  ],
  [
    'arrays without end',
    'const all = []; for (;;) all.push(new Array(1000).fill(all.length))',
    { outcome: 'stopped', reason: 'memory' },
  ],
  [
    'texts that double',
    `let text = 'x'; for (;;) text += text`,
    { outcome: expect.stringMatching(/threw|stopped/) },
  ],
  [
    'typed arrays',
    'const all = []; for (;;) all.push(new Uint8Array(1e6).fill(1))',
    { outcome: 'stopped', reason: 'memory' },
  ],
  [
    'typed arrays that catch @long',
    'const all = []; for (;;) { try { all.push(new Uint8Array(1e6).fill(1)) } catch {} }',
    { outcome: 'stopped' },
    brief,
  ],
  ['recursion', 'const down = () => down() + 1; down()', { outcome: 'threw' }],
  [
    'a deep value @long',
    'let deep = []; for (let i = 0; i < 1e5; i++) deep = [deep]; deep',
    { outcome: expect.stringMatching(/threw|stopped/) },
  ],
  [
    'a value of a thousand levels',
    'let deep = []; for (let i = 0; i < 1e3; i++) deep = [deep]; deep',
    { outcome: 'threw', message: 'The value of a program can have at most 100 levels.' },
  ],
  [
    'a deep argument',
    `let deep = ['__proto__']; for (let i = 0; i < 1e3; i++) deep = [deep]; ping(deep)`,
    { outcome: 'threw', message: 'The arguments of the call are nested too deeply.' },
  ],
  ['a long value', `'x'.repeat(2e6)`, { outcome: 'threw', name: 'RangeError' }],
  [
    '100 MB of log',
    `for (let i = 0; i < 1e5; i++) log('x'.repeat(1000))`,
    { outcome: 'stopped', reason: 'log' },
  ],
  [
    'log without end that catches',
    `for (;;) { try { log('x') } catch {} }`,
    { outcome: 'stopped', reason: 'log' },
  ],
  ['one line of 1 MB', `log('x'.repeat(1e6)); 1`, { outcome: 'returned', value: 1 }],
  [
    'calls without end',
    `let n = 0; for (;;) n += ping()`,
    { outcome: 'threw', message: expect.stringContaining('at most 500 calls') },
  ],
  ['an argument of 2 MB', `ping('x'.repeat(2e6))`, { outcome: 'threw', name: 'RangeError' }],
  [
    'a call that answers too much',
    `flood()`,
    { outcome: 'threw', message: 'The answer of the call is too long.' },
  ],
  ['a call that never answers @long', `hang()`, { outcome: 'stopped', reason: 'deadline' }, brief],
  [
    'a value that lies about itself',
    `({ toJSON() { for (;;) {} } })`,
    { outcome: 'stopped', reason: 'fuel' },
  ],
  [
    'an error that lies about itself',
    `throw { get message() { for (;;) {} } }`,
    { outcome: 'stopped' },
  ],
  [
    'a sort of many @long',
    `Array.from({ length: 4e5 }, (_, i) => (i * 7919) % 4e5).sort().length`,
    { outcome: expect.stringMatching(/returned|stopped/) },
  ],
]

describe('a hostile program ends as expected, and the next one runs', () => {
  const calls = {
    ping: async () => 1,
    flood: async () => 'x'.repeat(2e6),
    hang: () => new Promise<never>(() => {}),
  }
  for (const [name, code, expected, own] of hostile)
    test(name, { timeout: 60_000 }, async () => {
      const result = await run(code, { calls, limits: { ...limits, ...own } })
      expect(result).toMatchObject(expected)
      expect(await valueOf('6 * 7')).toBe(42)
    })

  test('and does not block other work of the process @long', async () => {
    // The longest block of the event loop with four programs running, compared with none.
    const maxStop = async (work: () => Promise<unknown>) => {
      const delay = monitorEventLoopDelay({ resolution: 5 })
      delay.enable()
      await work()
      delay.disable()
      return delay.percentile(99) / 1e6
    }
    await valueOf('1')
    const quiet = await maxStop(() => wait(1000))
    const loud = await maxStop(() =>
      Promise.all(
        ['one', 'two', 'three', 'four'].map((owner) =>
          run(`for (;;) { 'a'.repeat(1e4).indexOf('b') }`, {
            owner,
            limits: { fuel: 1e9, computeMs: 1000 },
          }),
        ),
      ),
    )
    expect(loud).toBeLessThan(quiet + 50)
  })
})

describe('owners', () => {
  test('free the slots of programs that wait for a person, up to a share @long', async () => {
    const small = openSandbox({ most: 1, maxOfOwner: 2 })
    let answer: (text: string) => void = () => {}
    const answered = new Promise<string>((resolve) => (answer = resolve))
    const asking = () => {
      let turn: Turn | undefined
      return small.run({
        owner: 'acme',
        code: 'ask()',
        calls: { ask: async () => turn?.leave(() => answered) },
        onTurn: (given) => (turn = given),
      })
    }
    const first = [asking(), asking()]
    // The owner has no further slot; another one has.
    let hasRun = false
    const third = small.run({ owner: 'acme', code: '3' }).then(() => (hasRun = true))
    const other = await small.run({ owner: 'other', code: '1 + 1' })
    expect(other).toMatchObject({ outcome: 'returned', value: 2 })
    expect(hasRun).toBe(false)
    answer('yes')
    expect(await Promise.all(first)).toMatchObject([{ value: 'yes' }, { value: 'yes' }])
    expect(await third).toBe(true)
    // All slots are free again: running two at once would need two.
    let atOnce = 0
    let most = 0
    const busy = async () => {
      most = Math.max(most, ++atOnce)
      await wait(20)
      atOnce--
    }
    const calls = { busy }
    const owners = ['a', 'b', 'c']
    await Promise.all(owners.map((owner) => small.run({ owner, code: 'busy()', calls })))
    expect(most).toBe(1)
    await small.close()
  })

  test('take turns, and a single owner does not take every thread', async () => {
    const small = openSandbox({ most: 1 })
    const order: string[] = []
    const of = (owner: string) =>
      small
        .run({ owner, code: `let n = 0; for (let i = 0; i < 2e5; i++) n++` })
        .then(() => order.push(owner))
    await small.run({ owner: 'loud', code: '1' })
    await Promise.all([of('loud'), of('loud'), of('loud'), of('loud'), of('quiet')])
    expect(order.indexOf('quiet')).toBeLessThan(3)
    await small.close()
  })

  test('have a limit for waiting programs', async () => {
    const small = openSandbox({ most: 1, maxWaiting: 1 })
    const [first, second] = [1, 2].map(() => small.run({ owner: 'acme', code: '1' }))
    await expect(small.run({ owner: 'acme', code: '1' })).rejects.toMatchObject({
      code: 'limit_reached',
    })
    await Promise.all([first, second])
    await small.close()
  })

  test('can be cancelled while they wait, compute or call', async () => {
    const stop = new AbortController()
    const cancelled = { outcome: 'stopped', reason: 'cancelled' }
    const small = openSandbox({ most: 1 })
    const computing = small.run({
      owner: 'acme',
      code: 'for (;;) {}',
      signal: stop.signal,
      limits: { fuel: 1e9 },
    })
    const waiting = small.run({ owner: 'acme', code: '1', signal: stop.signal })
    setTimeout(() => stop.abort(), 300)
    expect(await computing).toMatchObject(cancelled)
    expect(await waiting).toMatchObject(cancelled)
    const calling = new AbortController()
    const hang = async () => {
      calling.abort()
      return new Promise<never>(() => {})
    }
    expect(
      await small.run({ owner: 'acme', code: 'hang()', calls: { hang }, signal: calling.signal }),
    ).toMatchObject(cancelled)
    expect(await small.run({ owner: 'acme', code: '1' })).toMatchObject({ value: 1 })
    await small.close()
  })

  test('time in calls does not count as computing time', async () => {
    const calls = { slow: () => wait(400, 1) }
    expect(await valueOf('slow() + slow()', { calls, limits: { computeMs: 300 } })).toBe(2)
  })
})

describe('a batch', () => {
  const code = `function decode({ n }) {
    if (n === 3) for (;;) {}
    if (n === 5) throw new RangeError('five')
    return n * 2
  }`

  test('returns an outcome for each input, even after one that never ends', async () => {
    const inputs = Array.from({ length: 600 }, (_, n) => ({ n }))
    const { results } = await sandbox.runBatch({
      owner: 'acme',
      code,
      function: 'decode',
      inputs,
      limits: { fuel: 500 },
    })
    expect(results).toHaveLength(600)
    expect(results[3]).toEqual({ outcome: 'stopped', reason: 'fuel' })
    expect(results[5]).toMatchObject({ outcome: 'threw', name: 'RangeError', line: 3 })
    const good = results.filter((_, n) => n !== 3 && n !== 5)
    expect(good.every((each) => each.outcome === 'returned')).toBe(true)
    expect(results[599]).toEqual({ outcome: 'returned', value: 1198 })
  })

  test('finds the input that has to be terminated from outside @long', async () => {
    const { results } = await sandbox.runBatch({
      owner: 'acme',
      code: `const decode = (n) => n === 2 ? 'a'.repeat(1e6).indexOf('a'.repeat(5e5) + 'b') : n`,
      function: 'decode',
      inputs: [0, 1, 2, 3],
      limits: { computeMs: 400 },
    })
    expect(results).toEqual([
      { outcome: 'returned', value: 0 },
      { outcome: 'returned', value: 1 },
      { outcome: 'stopped', reason: 'deadline' },
      { outcome: 'returned', value: 3 },
    ])
  })

  test('of a program that fails to start reports so for each input', async () => {
    const { results } = await sandbox.runBatch({
      owner: 'acme',
      code: 'let a = = 1',
      function: 'decode',
      inputs: [1, 2],
    })
    expect(results).toMatchObject([{ name: 'SyntaxError' }, { name: 'SyntaxError' }])
  })
})
