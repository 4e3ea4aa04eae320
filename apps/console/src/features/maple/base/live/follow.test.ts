import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiProblem } from '../../../../api/problem.ts'
import { follow, type Connection } from './follow.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A stream that the test writes to and breaks. */
function pipe(signal: AbortSignal) {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) })
  signal.addEventListener('abort', () => controller?.error(new Error('aborted')))
  const encoder = new TextEncoder()
  return {
    response: new Response(body),
    write: (text: string) => controller?.enqueue(encoder.encode(text)),
    break: () => controller?.error(new Error('reset')),
    close: () => controller?.close(),
  }
}

function start(answer?: (attempt: number) => Response | Error | undefined) {
  const opened: { after: string; pipe: ReturnType<typeof pipe> }[] = []
  const connections: Connection[] = []
  const data: string[] = []
  const abort = new AbortController()
  const wake = new EventTarget()
  const done = follow({
    signal: abort.signal,
    wake,
    open: async (after, signal) => {
      const next = pipe(signal)
      opened.push({ after, pipe: next })
      const given = answer?.(opened.length)
      if (given instanceof Error) throw given
      return given ?? next.response
    },
    onEvents: (events) => {
      data.push(...events.map((each) => each.data))
      return events.some(({ event }) => event === 'end')
    },
    onConnection: (connection) => void connections.push(connection),
  })
  const now = () => connections.at(-1)
  return {
    opened,
    connections,
    data,
    abort,
    wake,
    done,
    now,
    settle: () => vi.advanceTimersByTimeAsync(0),
  }
}

test('a lost stream is reopened after the last event', async () => {
  const { opened, data, now, settle } = start()
  await settle()
  opened[0]?.pipe.write('id: 1\ndata: one\n\nid: 2\ndata: two\n\nid: 3\ndata: cut')
  await settle()
  expect(now()).toEqual({ status: 'live' })
  opened[0]?.pipe.break()
  await settle()
  expect(now()).toMatchObject({ status: 'lost' })
  await vi.advanceTimersByTimeAsync(500)
  expect(opened[1]?.after).toBe('2')
  opened[1]?.pipe.write('id: 3\ndata: three\n\n')
  await settle()
  expect(data).toEqual(['one', 'two', 'three'])
})

test('a stream that says it has ended is not reopened', async () => {
  const { opened, done, now, settle } = start()
  await settle()
  opened[0]?.pipe.write('event: end\ndata: {}\n\n')
  await done
  expect(now()).toEqual({ status: 'ended' })
  expect(opened).toHaveLength(1)
})

test('a refusal is final, an error of the service is not', async () => {
  const problem = new ApiProblem({ code: 'not_found' }, 404)
  const { opened, done, now, settle, connections } = start((attempt) =>
    attempt === 1 ? new ApiProblem({}, 503) : problem,
  )
  await settle()
  expect(connections.at(-1)).toMatchObject({ status: 'lost' })
  await vi.advanceTimersByTimeAsync(500)
  await done
  expect(now()).toEqual({ status: 'refused', problem })
  expect(opened).toHaveLength(2)
})

test('pauses grow while there is no answer, and coming online cuts one short', async () => {
  const { opened, wake, settle } = start(() => new TypeError('Failed to fetch'))
  await settle()
  for (const [pause, attempts] of [
    [500, 2],
    [1000, 3],
    [2000, 4],
  ] as const) {
    await vi.advanceTimersByTimeAsync(pause - 1)
    expect(opened).toHaveLength(attempts - 1)
    await vi.advanceTimersByTimeAsync(1)
    expect(opened).toHaveLength(attempts)
  }
  wake.dispatchEvent(new Event('online'))
  await settle()
  expect(opened).toHaveLength(5)
})

test('a stream without heartbeats counts as lost', async () => {
  const { opened, now, settle } = start()
  await settle()
  await vi.advanceTimersByTimeAsync(39_000)
  opened[0]?.pipe.write(': alive\n\n')
  await vi.advanceTimersByTimeAsync(39_000)
  expect(now()).toEqual({ status: 'live' })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(now()).toMatchObject({ status: 'lost' })
})

test('nothing is opened after the page was left', async () => {
  const { opened, abort, done, settle } = start()
  await settle()
  abort.abort()
  await done
  expect(opened).toHaveLength(1)
})
