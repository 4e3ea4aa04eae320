import { hostname } from 'node:os'
import { WebSocket, type RawData } from 'ws'
import {
  maxReaderMessageLength,
  readerProtocol,
  readerSocketPath,
  type FromReader,
  type ToReader,
} from '@grove/contract/maple/card/reader.rules'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { PcscError, type Pcsc, type PcscCard } from '@grove/secure-element/pcsc/pcsc'
import { readIdentity, sightOf, takeCard } from '@grove/secure-element/pcsc/take-card'

export interface BridgeOptions {
  platform: string
  key: string
  /** Name prefix of the reader to offer. Default: the first reader with a card, else the first. */
  reader: string | undefined
  pcsc: Pcsc
  say: (line: string) => void
  signal: AbortSignal
  /** Aborting makes the platform forget the reader, so its key need not be kept. */
  isForGood?: boolean
  /** In milliseconds; tests use shorter ones. */
  pace?: { lookMs: number; least: number; most: number; silenceMs: number }
}

const ordinary = { lookMs: 500, least: 1000, most: 60_000, silenceMs: 45_000 }

/** The platform no longer accepts this reader's key. */
export class ReaderRefused extends Error {
  constructor() {
    super('The platform does not know this reader any more. Pair it again.')
    this.name = 'ReaderRefused'
  }
}

/**
 * Offers one PC/SC reader until the signal aborts. A lost connection is re-established after a
 * jittered exponential backoff. A command is sent to the card at most once: if the connection drops
 * before the reply, there is no reply.
 * @throws ReaderRefused
 */
export async function offerReader(options: BridgeOptions): Promise<void> {
  const { signal, say, pace = ordinary } = options
  for (let failures = 0; !signal.aborted;) {
    const { wasWelcome, reason } = await connectOnce(options)
    if (signal.aborted) return
    failures = wasWelcome ? 0 : failures + 1
    const most = Math.min(pace.most, pace.least * 2 ** failures)
    const pause = most / 2 + Math.random() * (most / 2)
    say(`The connection ended: ${reason}. Trying again in ${Math.ceil(pause / 1000)} s.`)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pause)
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
    })
  }
}

async function choose({ pcsc, reader }: BridgeOptions): Promise<string> {
  const all = await pcsc.readers()
  const fitting = all.filter(({ name }) => reader === undefined || name.startsWith(reader))
  const found = fitting.find(({ atr }) => atr) ?? fitting[0]
  if (found) return found.name
  const names = all.map(({ name }) => name).join(', ')
  throw new PcscError(
    'absent',
    reader === undefined
      ? 'There is no PC/SC reader'
      : `There is no reader ${reader}. There are: ${names || 'none'}`,
  )
}

async function connectOnce(
  options: BridgeOptions,
): Promise<{ wasWelcome: boolean; reason: string }> {
  const { platform, key, pcsc, say, signal, pace = ordinary } = options
  let name: string
  try {
    name = await choose(options)
  } catch (error) {
    return { wasWelcome: false, reason: wordsOf(error) }
  }
  const url = new URL(readerSocketPath, platform)
  url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:'
  const socket = new WebSocket(url, {
    headers: { authorization: `Bearer ${key}` },
    maxPayload: maxReaderMessageLength,
    perMessageDeflate: false,
    handshakeTimeout: 15_000,
  })
  const stop = () => {
    if (options.isForGood) send({ type: 'leave' })
    socket.close(1000)
  }
  signal.addEventListener('abort', stop, { once: true })
  const send = (message: FromReader) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
  }
  const station = cardStation({ pcsc, name, say, send })
  let wasWelcome = false
  let reason = 'the platform closed it'
  let refused = false
  let silence: NodeJS.Timeout | undefined
  const heard = () => {
    clearTimeout(silence)
    silence = setTimeout(() => {
      reason = 'the platform is silent'
      socket.terminate()
    }, pace.silenceMs)
  }
  const looking = setInterval(() => {
    if (wasWelcome) void station.look().catch((error: unknown) => say(wordsOf(error)))
  }, pace.lookMs)

  socket.once('open', () => {
    heard()
    send({ type: 'hello', version: readerProtocol, reader: name, host: hostname() })
  })
  socket.on('ping', heard)
  socket.on('message', (data) => {
    heard()
    const message = readMessage(data)
    if (message?.type === 'welcome') {
      wasWelcome = true
      say(`Connected. The reader ${name} is offered to ${platform}.`)
      void station.look().catch((error: unknown) => say(wordsOf(error)))
    } else if (message?.type === 'transmit') void station.transmit(message)
    else if (message?.type === 'end') void station.end(message.session)
  })
  socket.once('unexpected-response', (_, response) => {
    refused = response.statusCode === 401
    reason = `the platform answered ${response.statusCode}`
    socket.terminate()
  })
  socket.on('error', (error) => {
    if (!refused) reason = error.message
  })
  await new Promise<void>((resolve) => socket.once('close', () => resolve()))
  clearTimeout(silence)
  clearInterval(looking)
  signal.removeEventListener('abort', stop)
  await station.end()
  if (refused) throw new ReaderRefused()
  return { wasWelcome, reason }
}

interface Station {
  pcsc: Pcsc
  name: string
  say: (line: string) => void
  send: (message: FromReader) => void
}

/** The card in a reader: polled while idle, locked by one session at a time. */
function cardStation({ pcsc, name, say, send }: Station) {
  let told: string | null | undefined
  let taken: { session: string; card: PcscCard } | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const next = turn.then(work)
    turn = next.catch(() => {})
    return next
  }

  async function release() {
    const held = taken
    taken = undefined
    // The card may already have been removed.
    await held?.card.disconnect().catch(() => {})
  }

  return {
    look: () =>
      inTurn(async () => {
        const state = (await pcsc.readers()).find((each) => each.name === name)
        if (!state) throw new PcscError('absent', `The reader ${name} is gone`)
        const atr = state.atr && toHex(state.atr)
        const now = sightOf(state)
        if (now === told || taken) return
        // Another program may hold the card briefly; the next poll retries.
        const cplc = atr === null ? null : await readIdentity(pcsc, name).catch(() => undefined)
        if (cplc === undefined) return
        told = now
        send({ type: 'card', atr, cplc })
        if (atr === null) say('There is no card in the reader.')
        else
          say(
            cplc === null
              ? 'The card has no CPLC and no other number, so Grove cannot recognise it.'
              : `The card in the reader is ${cplc}.`,
          )
      }),
    transmit: ({ id, session, isFirst, data }: Extract<ToReader, { type: 'transmit' }>) =>
      inTurn(async () => {
        try {
          if (isFirst) {
            await release()
            taken = { session, card: await takeCard(pcsc, name) }
            say('A session uses the card.')
          }
          if (taken?.session !== session) throw new PcscError('absent', 'The session has no card')
          send({ type: 'reply', id, data: toHex(await taken.card.transmit(readHex(data))) })
        } catch (error) {
          const code = error instanceof PcscError && error.code !== 'service' ? error.code : 'lost'
          say(`A command got no reply: ${wordsOf(error)}`)
          send({ type: 'failed', id, code })
          await release()
        }
      }),
    /** One session, or all. */
    end: (session?: string) =>
      inTurn(async () => {
        if (!taken || (session !== undefined && taken.session !== session)) return
        await release()
        say('The session ended, and the card is free.')
      }),
  }
}

const textOf = (data: RawData) => (Buffer.isBuffer(data) ? data.toString() : '')

function readMessage(data: RawData): ToReader | undefined {
  try {
    return JSON.parse(textOf(data)) as ToReader
  } catch {
    return undefined
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
