import { openDatabase } from '../../../../../core/database/database.ts'
import { openSandbox } from '../../../../../core/sandbox/open-sandbox.ts'
import type { MapleTables } from '../../../base/tables.ts'
import { telemetryStore } from '../../telemetry/telemetry-store.ts'
import { ordinaryLimits } from '../device-connection.ts'
import { openDeviceHub } from '../device-hub.ts'
import { openGateway } from '../gateway.ts'

// A gateway that is killed after storing a device's message, before the device is told.
const [url = '', folder = '', secret = '', last = '', ...messages] = process.argv.slice(2)
const database = await openDatabase({ url, folder })
const db = database.db.withTables<MapleTables>()
const gateway = openGateway({
  db,
  telemetry: telemetryStore(db, undefined),
  hub: openDeviceHub(),
  log: { info: () => {}, warn: () => {} },
  now: Date.now,
  onOffer: async () => {},
  onConnected: async () => {},
  sandbox: openSandbox(),
  telemetryDays: 90,
  settings: {
    limits: ordinaryLimits,
    admissionsPerSecond: 100,
    maxConnections: 10,
    maxOfProvider: 10,
    pace: { tickMs: 1000, noticeMs: 1000, touchMs: 60_000, leaseMs: 10_000 },
  },
})
const admission = await gateway.admit({ secret })
if (admission === 'wrong' || !('identity' in admission)) throw new Error('It is not admitted.')
const connection = gateway.connect(admission.identity, {
  protocol: 'websocket',
  ip: '',
  send(text) {
    const message = JSON.parse(text) as { t: string; seq?: number }
    // The command that one of them answers.
    if (message.t === 'command') for (const each of messages) connection.receive(each)
    if (message.t !== 'ack' || message.seq !== Number(last)) return
    process.kill(process.pid, 'SIGKILL')
  },
  waiting: () => 0,
  pause: () => {},
  resume: () => {},
  close: () => {},
  cut: () => {},
})
connection.receive('{"t":"hello","v":1,"boot":"boot-1"}')
