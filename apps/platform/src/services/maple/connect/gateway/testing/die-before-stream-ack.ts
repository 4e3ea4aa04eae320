import { openDatabase } from '../../../../../core/database/database.ts'
import { readStreamAddress } from '../../../../../core/stream/stream-address.ts'
import { openStream } from '../../../../../core/stream/stream.ts'
import type { MapleTables } from '../../../base/tables.ts'
import { telemetryStore } from '../../telemetry/telemetry-store.ts'
import { openDeviceHub } from '../device-hub.ts'
import { openIntakeWriter } from '../intake-writer.ts'
import { openIntake } from '../intake.ts'

// A process that writes messages from the stream, and dies before it acknowledges them.

const [, , databaseUrl = '', natsUrl = ''] = process.argv
const address = readStreamAddress({ NATS_URL: natsUrl })
if (!address) throw new Error('The address of NATS is missing.')
const database = await openDatabase({ url: databaseUrl, folder: '' })
const db = database.db.withTables<MapleTables>()
const stream = openStream(address, { warn: console.error })
const die = () => process.kill(process.pid, 'SIGKILL')
openIntakeWriter({
  db,
  intake: openIntake({
    db,
    telemetry: telemetryStore(db, undefined),
    hub: openDeviceHub(),
    now: Date.now,
    telemetryDays: 90,
    warn: () => console.error,
  }),
  stream: {
    ...stream,
    async claim(partition) {
      const claimed = await stream.claim(partition)
      return (
        claimed && {
          ...claimed,
          take: async () =>
            (await claimed.take())?.map((taken) => ({ ...taken, acknowledge: die })),
        }
      )
    },
  },
  log: { warn: console.error, error: console.error },
})
