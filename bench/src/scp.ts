import { createCipheriv, createDecipheriv } from 'node:crypto'
import { scp03Host } from '@grove/secure-element/secure-channel/scp03-host'
import type { SessionKeys } from '@grove/secure-element/secure-channel/key-set'
import { scp03SessionKeys } from '@grove/secure-element/secure-channel/scp03-keys'
import { cardMessaging } from '@grove/secure-element/card/card-messaging'
import { row, type Benchmark, type Row } from './benchmark.ts'
import { median } from './support/statistics.ts'

const level = 0x33
const commandBytes = 200
const replyBytes = 200
const block = 16
const zero = new Uint8Array(block)

export const scp: Benchmark = {
  name: 'scp',
  title: 'Secure channels (SCP03)',
  how: `One command with ${commandBytes} bytes and its reply with ${replyBytes}, at level 33: \`wrap\` and \`unwrap\` of the host, against the AES that they are made of, done with \`node:crypto\` on bytes that lie ready: twice a block of the counter and twice a MAC in CBC mode, one encryption and one decryption, each with a cipher of its own. Processor time of the process, in turns with the bare AES; medians of the rounds. The replies were made by the software card beforehand.`,
  run: (bench) => {
    const rounds = bench.isQuick ? 3 : 15
    const count = bench.isQuick ? 500 : 5000
    return Promise.resolve({ rows: [16, 24, 32].map((length) => share(length, rounds, count)) })
  },
}

function share(length: number, rounds: number, count: number): Row {
  const key = Uint8Array.from({ length }, (_, index) => index)
  const challenge = new Uint8Array(8)
  const keys = scp03SessionKeys({ enc: key, mac: key, dek: key }, challenge, challenge)
  const exchange = exchanges(keys, count)
  const bare = bareAes(key)
  const times = { bare: [] as number[], channel: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    times.bare.push(processorTime(count, bare))
    const host = scp03Host(keys, level, 8)
    times.channel.push(processorTime(count, (index) => exchange(host, index)))
  }
  const [aes, channel] = [median(times.bare), median(times.channel)]
  return row(`wrap and unwrap, AES-${length * 8}, of the bare AES`, (aes / channel) * 100, '%', {
    budget: { atLeast: 50 },
    note: `${channel.toFixed(1)} µs an exchange, ${aes.toFixed(1)} µs for the AES alone`,
  })
}

/** Sends one command and reads its reply, recorded from a card. */
function exchanges(keys: SessionKeys, count: number) {
  const command = {
    cla: 0x80,
    ins: 0xe2,
    p1: 0x90,
    p2: 0x00,
    data: new Uint8Array(commandBytes),
    le: 256,
    isExtended: false,
  }
  const card = cardMessaging('SCP03', 0x70, keys)
  card.raise(level)
  const first = scp03Host(keys, level, 8)
  const replies = Array.from({ length: count }, () => {
    if (!card.unwrap(first.wrap(command))) throw new Error('The card refused a command.')
    return card.wrap({ data: new Uint8Array(replyBytes), statusWord: 0x9000 })
  })
  return (host: ReturnType<typeof scp03Host>, index: number) => {
    host.wrap(command)
    const reply = replies[index]
    if (reply) host.unwrap(reply)
  }
}

const filled = (bytes: number) => new Uint8Array(Math.ceil(bytes / block) * block)

function bareAes(key: Uint8Array) {
  const name = `aes-${key.length * 8}`
  const command = filled(commandBytes + 1)
  const reply = filled(replyBytes + 1)
  // The chaining value, the header or the status word, and the data.
  const commandMac = filled(block + 5 + command.length)
  const replyMac = filled(block + reply.length + 2)
  const counter = () => createCipheriv(`${name}-ecb`, key, null).setAutoPadding(false).update(zero)
  const encrypt = (data: Uint8Array) =>
    createCipheriv(`${name}-cbc`, key, zero).setAutoPadding(false).update(data)
  return () => {
    counter()
    encrypt(command)
    encrypt(commandMac)
    encrypt(replyMac)
    counter()
    createDecipheriv(`${name}-cbc`, key, zero).setAutoPadding(false).update(reply)
  }
}

/** CPU microseconds per call. */
function processorTime(count: number, work: (index: number) => void): number {
  const before = process.cpuUsage()
  for (let index = 0; index < count; index += 1) work(index)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}
