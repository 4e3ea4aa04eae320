import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Exchange } from '@grove/contract/maple/card/session'
import { toHex } from '@grove/secure-element/bytes'
import { asMeant } from './session-trace.ts'
import { startSessionServer, type SessionServer } from './testing/session-server.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer()
})
afterAll(() => server.close())

const headerLength = 24
const recordLength = 16
/** IPv4, UDP and GSMTAP. */
const layers = 20 + 8 + 16

/** The payloads of the packets of a pcap file, in hex. */
function packetsOf(file: Buffer): string[] {
  const found: string[] = []
  for (let at = headerLength; at < file.length;) {
    const length = file.readUInt32BE(at + 8)
    found.push(toHex(file.subarray(at + recordLength + layers, at + recordLength + length)))
    at += recordLength + length
  }
  return found
}

const traceOf = (id: string, query = '') =>
  server.app.inject({ url: `/api/maple/sessions/se/${id}/pcap${query}`, headers: server.admin })

test('the trace of a session opens in Wireshark: plain, and as sent', async () => {
  const { id } = await server.open(await server.card())
  await server.command(id, 'MplGetData', { tag: '9F7F' })
  await server.command(id, 'MplSelect')
  await server.channel(id, '33')
  await server.raw(id, '80F28002024F0000')
  const answer = await traceOf(id)
  expect(answer.headers['content-type']).toBe('application/vnd.tcpdump.pcap')
  expect(answer.headers['content-disposition']).toBe(`attachment; filename="session-${id}.pcap"`)
  const [plain, sent] = [answer.rawPayload, (await traceOf(id, '?form=sent')).rawPayload].map(
    packetsOf,
  )
  const { items } = await server.exchanges(id)
  expect([plain?.length, sent?.length]).toEqual([items.length, items.length])
  expect(plain?.[0]).toMatch(/^80CA9F7F009F7F.*9000$/)
  // Le is omitted after data.
  expect(plain?.at(-1)).toMatch(/^80F28002024F00E3.*9000$/)
  expect(sent?.at(-1)).toMatch(/^84F28002/)
  const last = items.at(-1)?.wrapped
  expect(sent?.at(-1)).toBe(`${last?.command?.replace(/00$/, '')}${last?.reply}`)
  // An open session already has a trace, and an ended one keeps it.
  await server.ask('POST', `/${id}/end`)
  expect((await traceOf(id)).rawPayload.equals(answer.rawPayload)).toBe(true)
  expect((await traceOf(id, '?form=other')).statusCode).toBe(400)
})

const exchange = (fields: Partial<Exchange>): Exchange => ({
  seq: 1,
  at: '2026-01-02T03:04:05.678Z',
  outcome: 'answered',
  step: null,
  command: null,
  reply: null,
  wrapped: null,
  statusWord: null,
  latencyMs: null,
  isFailed: false,
  redacted: null,
  problem: null,
  ...fields,
})

test('a command sent in pieces is one packet, and one without a reply stands alone', async () => {
  async function* stored() {
    yield exchange({ command: '80E60C00', wrapped: { command: '84E60C00', reply: '9000' } })
    yield exchange({ reply: '009000', wrapped: { command: '84E60C01', reply: '119000' } })
    yield exchange({ command: '80CA9F7F00', outcome: 'unknown' })
    yield exchange({ command: '80CA006600', wrapped: { command: '84CA0066', reply: '22336982' } })
  }
  const found: string[][] = []
  for await (const { command, reply } of asMeant(stored()))
    found.push([toHex(command), reply ? toHex(reply) : ''])
  expect(found).toEqual([
    ['80E60C00', '009000'],
    ['80CA9F7F00', ''],
    ['80CA006600', '22336982'],
  ])
})
