import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { softwareCard, type SoftwareCard } from '../card/software-card.ts'
import { connectToVpcd } from '../card/vpcd.ts'
import { startPrivateReader, vpcdPort } from './private-reader.ts'

// A reader with two slots in its own network namespace, until the process ends. Each input line is
// `insert SLOT SEED` or `remove SLOT`, and is echoed when done. A card whose seed starts with `mute`
// does not answer SELECT.
const [folder = ''] = process.argv.slice(2)
const reader = await startPrivateReader(folder)
const slots = new Map<number, Socket>()
process.once('SIGTERM', () => {
  for (const socket of slots.values()) socket.destroy()
  void reader.stop().then(() => process.exit(0))
})
console.log('ready')

const instructionOfSelect = 0xa4
const silent = (card: SoftwareCard): SoftwareCard => ({
  ...card,
  transmit: (command) =>
    command[1] === instructionOfSelect ? new Promise(() => {}) : card.transmit(command),
})

for await (const line of createInterface(process.stdin)) {
  const [verb, place, ...words] = line.split(' ')
  const slot = Number(place)
  if (verb === 'insert') {
    const seed = words.join(' ')
    const card = softwareCard({ seed })
    const { socket } = connectToVpcd(seed.startsWith('mute') ? silent(card) : card, {
      host: '127.0.0.1',
      port: vpcdPort + slot,
    })
    slots.set(slot, socket)
    await once(socket, 'connect')
  } else slots.get(slot)?.destroy()
  console.log(line)
}
