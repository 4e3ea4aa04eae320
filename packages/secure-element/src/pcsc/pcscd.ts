import { connect, type Socket } from 'node:net'
import { PcscError, wholeReply, type Pcsc, type PcscCard, type ReaderState } from './pcsc.ts'

/**
 * Speaks to the PC/SC service of Linux over its own socket, so that nothing has to be compiled.
 * Messages and sizes are those of pcsc-lite's `winscard_msg.h`, protocol 4: a size, a command, and a
 * structure of 32-bit numbers in native byte order; the reply is the same structure, filled in.
 */
const commands = {
  establishContext: 0x01,
  connect: 0x04,
  disconnect: 0x06,
  transmit: 0x09,
  version: 0x11,
  readersState: 0x12,
} as const

/** Newer services still speak the older versions. */
const protocols = [
  [4, 5],
  [4, 4],
  [4, 3],
] as const

const nameBytes = 128
const readerBytes = nameBytes + 56
const maxReaders = 16
const present = 0x04
const share = { exclusive: 1, shared: 2 }
const anyProtocol = 3
const resetCard = 1
const maxReplyLength = 65_546

export const pcscdSocket = (): string =>
  process.env['PCSCLITE_CSOCK_NAME'] ?? '/run/pcscd/pcscd.comm'

/** One connection: a request waits for the reply to the previous one. */
function channel(socket: Socket) {
  let waiting = Buffer.alloc(0)
  let failure: PcscError | undefined
  let wake = () => {}
  const fail = (error?: Error) => {
    failure ??= new PcscError('service', 'The PC/SC service ended the connection', { cause: error })
    wake()
  }
  socket.on('data', (data) => {
    waiting = Buffer.concat([waiting, data])
    wake()
  })
  socket.once('error', fail)
  socket.once('close', () => fail())

  async function read(size: number): Promise<Buffer> {
    while (waiting.length < size) {
      if (failure) throw failure
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    const found = waiting.subarray(0, size)
    waiting = waiting.subarray(size)
    return found
  }

  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const next = turn.then(work)
    turn = next.catch(() => {})
    return next
  }
  const write = (command: number, body: Buffer, after: Uint8Array = new Uint8Array()) => {
    const head = Buffer.alloc(8)
    head.writeUInt32LE(body.length, 0)
    head.writeUInt32LE(command, 4)
    socket.write(Buffer.concat([head, body, after]))
  }
  return { read, write, inTurn, destroy: () => socket.destroy() }
}

type Channel = ReturnType<typeof channel>

const notRunning =
  'The PC/SC service does not run. Install and start it, on Debian: sudo apt-get install pcscd'

async function open(path: string): Promise<Channel> {
  const socket = connect(path)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', (cause) => reject(new PcscError('service', notRunning, { cause })))
  })
  return channel(socket)
}

const numbers = (...values: number[]): Buffer => {
  const body = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) body.writeUInt32LE(value >>> 0, 4 * index)
  return body
}

/** Connects with the newest protocol version that the service speaks. */
async function greet(path: string): Promise<Channel> {
  for (const [major, minor] of protocols) {
    const link = await open(path)
    link.write(commands.version, numbers(major, minor, 0))
    const reply = await link.read(12).catch(() => undefined)
    if (reply?.readUInt32LE(8) === 0) return link
    link.destroy()
  }
  throw new PcscError('service', 'The PC/SC service speaks another protocol')
}

/** Opens the service of this machine. @throws PcscError `service`. */
export async function openPcscd(path = pcscdSocket()): Promise<Pcsc> {
  const link = await greet(path)
  link.write(commands.establishContext, numbers(2, 0, 0))
  const established = await link.read(12)
  check(established.readUInt32LE(8))
  const context = established.readUInt32LE(4)
  return {
    readers: () =>
      link.inTurn(async () => {
        link.write(commands.readersState, Buffer.alloc(0))
        const all = await link.read(readerBytes * maxReaders)
        return Array.from({ length: maxReaders }, (_, index) =>
          readerAt(all.subarray(index * readerBytes, (index + 1) * readerBytes)),
        ).filter(({ name }) => name !== '')
      }),
    connect: (reader, { isExclusive }) =>
      link.inTurn(async () => {
        const name = Buffer.alloc(nameBytes)
        name.write(reader, 0, nameBytes - 1)
        const mode = isExclusive ? share.exclusive : share.shared
        const body = Buffer.concat([numbers(context), name, numbers(mode, anyProtocol, 0, 0, 0)])
        link.write(commands.connect, body)
        const reply = await link.read(body.length)
        const at = 4 + nameBytes
        check(reply.readUInt32LE(at + 16))
        return card(link, reply.readUInt32LE(at + 8), reply.readUInt32LE(at + 12))
      }),
    close: link.destroy,
  }
}

function readerAt(bytes: Buffer): ReaderState {
  const end = bytes.indexOf(0)
  const atrLength = Math.min(bytes.readUInt32LE(nameBytes + 48), 33)
  const isPresent = (bytes.readUInt32LE(nameBytes + 4) & present) !== 0
  return {
    name: bytes.toString('utf8', 0, end === -1 ? nameBytes : Math.min(end, nameBytes)),
    events: bytes.readUInt32LE(nameBytes),
    atr:
      isPresent && atrLength > 0
        ? new Uint8Array(bytes.subarray(nameBytes + 12, nameBytes + 12 + atrLength))
        : null,
  }
}

const card = (link: Channel, handle: number, protocol: number): PcscCard => ({
  transmit: (command) =>
    link.inTurn(async () => {
      const body = numbers(handle, protocol, 16, command.length, 0, 16, maxReplyLength, 0)
      link.write(commands.transmit, body, command)
      const reply = await link.read(body.length)
      check(reply.readUInt32LE(28))
      return wholeReply(new Uint8Array(await link.read(reply.readUInt32LE(24))))
    }),
  disconnect: () =>
    link.inTurn(async () => {
      link.write(commands.disconnect, numbers(handle, resetCard, 0))
      await link.read(12)
    }),
})

const errors: Record<number, ['absent' | 'inUse' | 'service', string]> = {
  0x8010000c: ['absent', 'There is no card in the reader'],
  0x80100009: ['absent', 'The reader is gone'],
  0x80100017: ['absent', 'The reader is gone'],
  0x8010000b: ['inUse', 'Another program uses the card'],
  0x8010001d: ['service', 'The PC/SC service does not run'],
  0x8010006a: ['service', 'The PC/SC service refuses this user'],
}

function check(code: number) {
  if (code === 0) return
  const [kind, text] = errors[code] ?? (['lost', 'The reader lost the card'] as const)
  throw new PcscError(kind, `${text} (${code.toString(16)})`)
}
