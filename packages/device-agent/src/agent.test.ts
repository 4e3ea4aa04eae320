import { afterEach, expect, test } from 'vitest'
import { runAgent } from './agent.ts'
import { pauseAfter } from './back-off.ts'
import { openDeviceServer, type Knock } from './check/device-server.ts'
import { newIdentity } from './identity.ts'
import { openOutbox } from './outbox.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

test('a platform that is busy does not lengthen the pauses of later failures', async () => {
  const server = await openDeviceServer(0, '127.0.0.1')
  const ending = new AbortController()
  ends.push(
    () => server.close(),
    () => ending.abort(),
  )
  const attempts: number[] = []
  runAgent({
    platform: `http://127.0.0.1:${server.port}`,
    secret: newIdentity('waiting').secret,
    outbox: openOutbox(),
    elements: [],
    firmware: '1.0.0',
    say: () => {},
    signal: ending.signal,
    pause: (attempt) => (attempts.push(attempt), 10),
  })
  let seen = 0
  const next = async () => {
    const asked = await server.asked.until(
      (each): each is Knock => each.kind === 'connect',
      'A connection',
      { from: seen },
    )
    seen = server.asked.items.indexOf(asked) + 1
    return asked
  }
  const first = await next()
  first.refuse('busy', 1)
  const second = await next()
  // As long as the platform said, and a little longer, each time another one.
  expect(second.at - first.at).toBeGreaterThan(950)
  second.refuse('busy', 1)
  ;(await next()).refuse('busy')
  ;(await next()).refuse('busy')
  await next()
  expect(attempts).toEqual([0, 1])
})

test('what the platform says to wait gets a part of it more', () => {
  expect([0, 0.5, 1].map((random) => pauseAfter(2000, () => random))).toEqual([2000, 2500, 3000])
  expect(pauseAfter(60_000, () => 1)).toBe(75_000)
})
