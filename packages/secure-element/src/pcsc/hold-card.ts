import { softwareCard } from '../card/software-card.ts'
import { connectToVpcd } from '../card/vpcd.ts'
import { startPrivateReader, vpcdPort } from './private-reader.ts'

// A reader with a card, in a network of its own, until the process is ended.
const [folder = '', seed = ''] = process.argv.slice(2)
const reader = await startPrivateReader(folder)
const { socket } = connectToVpcd(softwareCard({ seed }), { host: '127.0.0.1', port: vpcdPort })
socket.once('connect', () => console.log('ready'))
process.once('SIGTERM', () => {
  socket.destroy()
  void reader.stop().then(() => process.exit(0))
})
