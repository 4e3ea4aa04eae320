import type { RawData, WebSocket } from 'ws'
import { guarded } from '../../../../core/guarded.ts'
import {
  readerProtocol,
  type FromReader,
  type ToReader,
} from '@grove/contract/maple/card/reader.rules'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { ReaderLost, type ConnectedReader } from './reader-hub.ts'
import { readMessage } from './reader-message.ts'

export interface ConnectionLimits {
  /** Time limit for a program to authenticate. */
  helloMs: number
  /** Between two signs of life. */
  pingMs: number
  /** Time limit of a card's command. */
  replyMs: number
  /** Unsolicited messages allowed per minute. */
  messagesAMinute: number
}

export const connectionLimits: ConnectionLimits = {
  helloMs: 10_000,
  pingMs: 15_000,
  replyMs: 10_000,
  messagesAMinute: 60,
}

interface Events {
  onHello: (place: { pcscName: string; host: string | null }) => Promise<void>
  onCard: (card: { atr: string | null; cplc: string | null }) => Promise<void>
  onLeave: () => Promise<void>
  /** Called once, with the reason. */
  onEnd: (reason: string) => void
}

const minute = 60_000
/** Bytes that wait for a program that does not read. */
const maxWaiting = 1_000_000

const textOf = (data: RawData) => (Buffer.isBuffer(data) ? data.toString() : '')

/**
 * One connection. A program's messages are never trusted: an unexpected message, a reply to nothing,
 * a flood or silence close it. A command is sent once; when the connection closes, unanswered ones
 * are lost.
 */
export function readerConnection(
  socket: WebSocket,
  { onHello, onCard, onLeave, onEnd }: Events,
  limits: ConnectionLimits = connectionLimits,
): ConnectedReader {
  const pending = new Map<
    number,
    { resolve: (reply: Uint8Array) => void; reject: (error: ReaderLost) => void }
  >()
  let last = 0
  let isKnown = false
  let isAlive = true
  let reason: string | undefined
  let said = 0
  let turn: Promise<unknown> = Promise.resolve()

  const drop = (why: string) => {
    reason ??= why
    socket.terminate()
  }
  const send = (message: ToReader) => {
    if (socket.bufferedAmount > maxWaiting) return drop('it does not read')
    socket.send(JSON.stringify(message))
  }
  const hello = setTimeout(() => drop('it did not say who it is'), limits.helloMs)
  const pings = setInterval(() => {
    if (!isAlive) return drop('it is silent')
    isAlive = false
    socket.ping()
  }, limits.pingMs)
  const forget = setInterval(() => {
    said = 0
  }, minute)

  const later = (work: () => Promise<void>) => {
    turn = turn.then(work).catch(() => drop('what it said could not be stored'))
  }

  function answer(
    id: number,
    work: (waiting: NonNullable<ReturnType<typeof pending.get>>) => void,
  ) {
    const waiting = pending.get(id)
    if (!waiting) return drop('it answered what nobody asked')
    pending.delete(id)
    work(waiting)
  }

  function handle(message: FromReader) {
    if (message.type === 'reply')
      return answer(message.id, ({ resolve }) => resolve(readHex(message.data)))
    if (message.type === 'failed')
      return answer(message.id, ({ reject }) => reject(new ReaderLost(message.code)))
    said++
    if (said > limits.messagesAMinute) return drop('it says too much')
    if (message.type === 'hello') {
      if (isKnown) return drop('it said twice who it is')
      if (message.version !== readerProtocol) return drop('it speaks another version')
      isKnown = true
      clearTimeout(hello)
      const { reader: pcscName, host = null } = message
      return later(() => onHello({ pcscName, host }))
    }
    if (!isKnown) return drop('it did not say who it is')
    if (message.type === 'leave') return later(onLeave)
    return later(() => onCard(message))
  }

  const hear = (data: RawData, isBinary: boolean) => {
    const message = isBinary ? undefined : readMessage(textOf(data))
    if (!message) drop('it sent something else than a message')
    else if (socket.readyState === socket.OPEN) handle(message)
  }
  socket.on(
    'message',
    guarded((error) => drop(`the server failed: ${String(error)}`), hear),
  )
  socket.on('pong', () => {
    isAlive = true
  })
  // A frame that is too long or malformed; the connection closes on its own.
  socket.on('error', (error) => {
    reason ??= error.message
  })
  socket.once('close', () => {
    clearTimeout(hello)
    clearInterval(pings)
    clearInterval(forget)
    for (const { reject } of pending.values()) reject(new ReaderLost('lost'))
    pending.clear()
    onEnd(reason ?? 'it went')
  })

  return {
    drop,
    transmit: (session, isFirst, command) =>
      new Promise((resolve, reject) => {
        if (socket.readyState !== socket.OPEN) return reject(new ReaderLost('absent'))
        const id = ++last
        const timer = setTimeout(() => drop('it took too long for a command'), limits.replyMs)
        const settled =
          <Value>(work: (value: Value) => void) =>
          (value: Value) => {
            clearTimeout(timer)
            work(value)
          }
        pending.set(id, { resolve: settled(resolve), reject: settled(reject) })
        send({ type: 'transmit', id, session, isFirst, data: toHex(command) })
      }),
    endSession: (session) => {
      if (socket.readyState === socket.OPEN) send({ type: 'end', session })
    },
  }
}
