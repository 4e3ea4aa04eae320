import { Readable } from 'node:stream'
import type { Exchange } from '@grove/contract/maple/card/session'
import type { TraceForm } from '@grove/contract/maple/card/session.rules'
import { concat, readHex } from '@grove/secure-element/bytes'
import { pcapHeader, pcapPacket, type TracedExchange } from '@grove/secure-element/trace/gsmtap'
import type { Actor } from '../../../../core/actor.ts'
import type { SessionContext } from '../context.ts'
import { exchangesOf, type SessionFile } from './session-export.ts'
import { sessionOf } from './session.service.ts'

/** Packets per write: a single packet is only 60 bytes or more. */
const batch = 200

/**
 * Streams the trace of a session as a pcap file, at the reader's speed. It is built from the stored
 * log, so bytes that the log hides are zero here too.
 * @throws ProblemError `not_found`.
 */
export async function sessionTrace(
  context: SessionContext,
  actor: Actor,
  { id, form = 'plain' }: { id: string; form?: TraceForm },
): Promise<SessionFile> {
  const session = await sessionOf(context, actor, id)
  const exchanges = exchangesOf(context, session)
  const traced = form === 'plain' ? asMeant(exchanges) : asSent(exchanges)
  return {
    name: `session-${id}.pcap`,
    type: 'application/vnd.tcpdump.pcap',
    body: Readable.from(bytesOf(traced), { objectMode: false }),
  }
}

async function* bytesOf(exchanges: AsyncIterable<TracedExchange>): AsyncGenerator<Uint8Array> {
  let packets: Uint8Array[] = [pcapHeader()]
  let number = 0
  for await (const exchange of exchanges) {
    packets.push(pcapPacket(exchange, ++number))
    if (packets.length < batch) continue
    yield concat(...packets)
    packets = []
  }
  yield concat(...packets)
}

type Traced = AsyncGenerator<TracedExchange>

const traced = (at: string, command: string, reply: string | null | undefined): TracedExchange => ({
  at: Date.parse(at),
  command: readHex(command),
  reply: typeof reply === 'string' ? readHex(reply) : undefined,
})

async function* asSent(exchanges: AsyncIterable<Exchange>): Traced {
  for await (const { at, command, reply, wrapped } of exchanges) {
    const sent = wrapped?.command ?? command
    if (sent !== null) yield traced(at, sent, wrapped?.reply ?? reply)
  }
}

/**
 * A command that was sent in pieces becomes one packet: its first piece has the command, its last the
 * reply. A reply that the channel refused is shown as received.
 */
export async function* asMeant(exchanges: AsyncIterable<Exchange>): Traced {
  let open: { at: string; command: string; received: string | null } | undefined
  const left = () => (open ? [traced(open.at, open.command, open.received)] : [])
  for await (const { at, command, reply, wrapped } of exchanges) {
    const received = wrapped?.reply ?? null
    if (command !== null) {
      yield* left()
      open = { at, command, received }
    } else if (open) open.received = received ?? open.received
    if (reply === null || !open) continue
    yield traced(open.at, open.command, reply)
    open = undefined
  }
  yield* left()
}
