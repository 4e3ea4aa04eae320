import { afterEach, describe, expect, test, vi } from 'vitest'
import { auth } from '../../services/auth/index.ts'
import { maple } from '../../services/maple/index.ts'
import { freePort } from '../testing/free-port.ts'
import { hasNats, startNats } from '../testing/nats-server.ts'
import { openProcesses } from '../testing/processes.ts'
import { readStreamAddress } from './stream-address.ts'
import { openStream } from './stream.ts'

// The embedded database has one process and uses no stream.
const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'
const waiting = { timeout: 20_000, interval: 50 }
const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

describe.runIf(isPostgres && hasNats)('a stream in NATS (needs nats-server)', () => {
  async function open(url: string, maxBytes: number) {
    const address = readStreamAddress({ NATS_URL: url })
    if (!address) throw new Error('There is no address.')
    const warn = vi.fn()
    const stream = openStream({ ...address, maxBytes }, { warn })
    ends.push(stream.close)
    await vi.waitFor(() => stream.ping(), waiting)
    return { stream, warn }
  }

  test('a server has room for one stream, which further processes find there', async () => {
    const nats = await startNats('150MB')
    ends.push(() => nats.close())
    for (const _ of [1, 2, 3]) {
      const { warn } = await open(nats.url, 100e6)
      expect(warn).not.toHaveBeenCalled()
    }
  })

  test('a different size takes effect at the next start', async () => {
    const nats = await startNats('150MB')
    ends.push(() => nats.close())
    await (await open(nats.url, 20_000)).stream.close()
    const { stream } = await open(nats.url, 1e6)
    for (let at = 0; at < 10; at += 1) await stream.publish(0, 'x'.repeat(10_000))
    expect((await stream.state()).messages).toBe(10)
  })
})

test.runIf(isPostgres)(
  'a start that cannot reach NATS says so, although it starts trying before there is a log @long',
  async () => {
    const processes = await openProcesses([auth, maple])
    ends.push(() => processes.close())
    const { output } = await processes.start({
      GROVE_SERVICES: 'auth,maple',
      NATS_URL: `nats://127.0.0.1:${await freePort()}`,
    })
    await vi.waitFor(() => expect(output()).toContain('NATS does not answer'), waiting)
  },
  60_000,
)
